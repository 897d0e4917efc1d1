"""The trace of the pattern driver's rewrites: the op before, the ops after."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mlc.bindings import ir, parent_op
from mlc.bindings.diagnostics import describe
from mlc.bindings.operations import address
from mlc.passes.common.patterns import Pattern, pattern_name
from mlc.passes.common.rewriting import RewriteChanges, watch_changes

# Constants with more elements are elided: a rewrite is understandable without them.
_LARGE = 16


@dataclass(frozen=True)
class Rewrite:
    """A change of an op by a pattern. `before` and `after` are the texts of ops, `values` the replacements of
    the results, if there are any."""

    pattern: str
    location: str
    before: str
    after: tuple[str, ...]
    values: tuple[str, ...]


@dataclass
class RewriteTracer:
    """Applies patterns for the pattern driver and reports those that changed something."""

    report: Callable[[Rewrite], None]
    # The ops beside the op that is looked at, until something changes: (parent's address, addresses).
    _known: tuple[int, frozenset[int]] = field(default=(0, frozenset()))

    def __call__(self, pattern: Pattern, op: ir.Operation) -> bool:
        """Whether `pattern` changed the IR."""
        parent, where, location = parent_op(op), address(op), describe(op.location)
        assert parent is not None
        before, known = _text(op), self._siblings(parent)
        with watch_changes(op) as changes:
            if not pattern(op):
                return False
        self._known = (0, frozenset())
        after = tuple(_after(parent, where, before, known, changes))
        self.report(Rewrite(pattern_name(pattern), location, before, after, tuple(_values(changes))))
        return True

    def _siblings(self, parent: ir.Operation) -> frozenset[int]:
        where = address(parent)
        if self._known[0] != where:
            self._known = (where, frozenset(map(address, _inside(parent))))
        return self._known[1]


def _inside(parent: ir.Operation) -> Iterator[ir.Operation]:
    return (op.operation for region in parent.regions for block in region for op in block.operations)


def _after(
    parent: ir.Operation, where: int, before: str, known: frozenset[int], changes: RewriteChanges
) -> Iterator[str]:
    """Yields the ops that are new, and the op itself if it changed. Erased ops are not touched: an address
    that was erased and is found again belongs to a new op."""
    if address(parent) in changes.erased:
        return
    for op in _inside(parent):
        is_new = address(op) not in known or address(op) in changes.erased
        if is_new or (address(op) == where and _text(op) != before):
            yield _text(op)


def _values(changes: RewriteChanges) -> Iterator[str]:
    for value in changes.values:
        owner = value.owner
        if isinstance(owner, ir.Block):
            yield value.get_name(use_local_scope=True)
        elif address(owner) not in changes.erased:
            yield _result_name(value)


def _result_name(value: ir.Value) -> str:
    """Returns the name of an op's result, from the op's text: `get_name` verifies the function each time."""
    owner = value.owner.operation
    name = re.split(r"[:, ]", _text(owner), maxsplit=1)[0]
    return f"{name}#{ir.OpResult(value).result_number}" if len(owner.results) > 1 else name


def _text(op: ir.Operation) -> str:
    return str(op.get_asm(use_local_scope=True, assume_verified=True, large_elements_limit=_LARGE))
