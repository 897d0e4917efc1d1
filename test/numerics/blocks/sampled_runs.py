"""Cases that run on this machine and on emulated GPUs: which of these runs `make check` has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

T = TypeVar("T")


def sample_cases(
    cases: Iterable[T], runs: Iterable[str], always: Sequence[str] = ("cpu",)
) -> list[ParameterSet]:
    """Pairs of a case and a run. With those of `always` all cases run, with the others each case with one in
    turn; the pairs that are left are slow, so that only `make check-all` has them."""
    others = [run for run in runs if run not in always]
    pairs = []
    for index, case in enumerate(cases):
        quick = [*always, *others[index % len(others) :][:1]]
        for run in [*always, *others]:
            marks = [] if run in quick else [pytest.mark.slow]
            pairs.append(pytest.param(case, run, marks=marks, id=f"{case}-{run}"))
    return pairs
