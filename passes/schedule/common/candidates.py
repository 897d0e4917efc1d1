"""Candidates for a kernel's default schedule, of which the first that applies is taken."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import Never

from mlc.bindings import ir
from mlc.passes.base import PassError
from mlc.passes.remarks import report_applied

# The name of a schedule, and a function that adds it to the kernel, or returns False if it does not fit.
Candidate = tuple[str, Callable[[], bool]]
# The name of what is left when no schedule fits, or all are excluded: the loops as they are lowered.
LOOPS = "loops"
RULE = "schedule"


def add_first(kernel: ir.Operation, candidates: Iterable[Candidate], without: Collection[str] = ()) -> str:
    """Adds the first schedule that fits and is not in `without`; returns its name, LOOPS for none. Raises
    PassError, naming the schedule, for one that fails."""
    for name, add in guard("candidates", candidates):
        if name in without:
            continue
        try:
            fits = add()
        except Exception as error:
            report_applied(kernel, RULE, name)
            reason = f"the default schedule '{name}' cannot be built: {type(error).__name__}: {error}"
            raise PassError(reason, kernel.location) from error
        if fits:
            report_applied(kernel, RULE, name)
            return name
    report_applied(kernel, RULE, LOOPS)
    return LOOPS


def guard(name: str, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Yields the candidates; where listing them fails, a last one called `name`, which fails for the same
    reason, so that those that come after them can be taken."""
    try:
        yield from candidates
    except PassError:
        # A mistake in what is compiled, such as an unknown target.
        raise
    except Exception as error:
        yield name, partial(_fail, error)


def _fail(error: Exception) -> Never:
    raise error
