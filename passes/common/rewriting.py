"""Rewriting of ops to a fixed point, and the helpers that patterns use.

Python handles to an op do not notice when the op is freed through another handle. A pattern therefore
erases ops with `erase_op` or `replace_op`, which notify the driver; it must not use a handle after that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from mlc.bindings import ir
from mlc.bindings.operations import address
from mlc.passes.base import PassError
from mlc.passes.common.patterns import Pattern, pattern_name, pattern_summary
from mlc.passes.remarks import listening, report_applied_at
from mlc.passes.statistics import collecting, count
from mlc.threads import ThreadStack

# One set per active `apply_patterns`: addresses of ops erased during its current sweep.
_erased: ThreadStack[set[int]] = ThreadStack()


@dataclass
class RewriteChanges:
    """The changes of a pattern to the op at address `where`: the addresses of the ops that it erased, and the
    values by which it replaced the op's results."""

    where: int
    erased: set[int] = field(default_factory=set)
    values: list[ir.Value] = field(default_factory=list)


# The active watchers; and those that apply the patterns instead of the driver, to trace them.
_watched: ThreadStack[RewriteChanges] = ThreadStack()
_tracers: ThreadStack[Callable[[Pattern, ir.Operation], bool]] = ThreadStack()


@contextmanager
def watch_changes(op: ir.Operation) -> Iterator[RewriteChanges]:
    """Records what happens to `op` inside the `with` block."""
    changes = RewriteChanges(address(op))
    _watched.items.append(changes)
    try:
        yield changes
    finally:
        _watched.items.pop()


@contextmanager
def trace_patterns(tracer: Callable[[Pattern, ir.Operation], bool]) -> Iterator[None]:
    """Inside the `with` block, the driver has `tracer` apply each pattern."""
    _tracers.items.append(tracer)
    try:
        yield
    finally:
        _tracers.items.pop()


def apply_patterns(root: ir.Operation, patterns: Mapping[str, Pattern], max_iterations: int = 32) -> bool:
    """Calls `patterns[op.name](op)` for the ops inside `root`, innermost first, until no pattern changes
    anything.

    A pattern returns True if it changed the IR. While it runs, ops are built just before `op`, with its
    location. Returns whether anything changed. Raises `PassError` if ops still change in sweep
    `max_iterations`.
    """
    for sweep in range(max_iterations):
        changed = _sweep(root, patterns)
        if changed is None:
            return sweep > 0
    raise PassError(
        f"rewriting did not reach a fixed point in {max_iterations} sweeps; the last one changed '{changed}'",
        root.location,
    )


def _sweep(root: ir.Operation, patterns: Mapping[str, Pattern]) -> str | None:
    """Applies patterns once to every op that exists now; returns the name of the last op that changed, or
    None."""
    changed = None
    _erased.items.append(set())
    try:
        for where, op in [(address(op), op) for op in collect_ops(root, patterns.keys())]:
            if where in _erased.items[-1]:
                continue
            name, location = op.name, op.location
            with ir.InsertionPoint(op), location:
                if _apply(patterns[name], op):
                    changed = name
                    _report(patterns[name], name, location)
    finally:
        _erased.items.pop()
    return changed


def _apply(pattern: Pattern, op: ir.Operation) -> bool:
    return _tracers.items[-1](pattern, op) if _tracers.items else pattern(op)


def _report(pattern: Pattern, name: str, location: ir.Location) -> None:
    """Notifies listeners that `pattern` changed an op called `name`, which may be gone."""
    if collecting():
        count(pattern_name(pattern), help="rewrites by this pattern")
    if listening():
        report_applied_at(name, location, pattern_name(pattern), pattern_summary(pattern))


def collect_ops(root: ir.Operation, names: str | Collection[str] | None = None) -> list[ir.Operation]:
    """Returns the ops inside `root` (without `root`), innermost first; those with a name in `names`, or
    all."""
    found: list[ir.Operation] = []
    wanted = (names,) if isinstance(names, str) else names
    advance = ir.WalkResult.ADVANCE

    # Half of a pass's time is spent here: nothing is looked up or compared that need not be.
    def visit(op: ir.Operation) -> ir.WalkResult:
        if wanted is None or op.name in wanted:
            found.append(op)
        return advance

    root.operation.walk(visit, ir.WalkOrder.POST_ORDER)
    if found and found[-1] == root.operation:
        found.pop()
    return found


def erase_op(op: ir.Operation | ir.OpView) -> None:
    """Erases `op`, whose results must be unused, and everything inside it."""
    operation = op.operation
    if _erased.items:
        inside = [address(operation), *map(address, collect_ops(operation))]
        for erased in (*_erased.items, *(changes.erased for changes in _watched.items)):
            erased.update(inside)
    operation.erase()


def replace_op(op: ir.Operation | ir.OpView, values: ir.Value | ir.OpView | Sequence[ir.Value]) -> None:
    """Replaces all uses of the results of `op` by `values` (one per result) and erases it."""
    operation = op.operation
    if isinstance(values, ir.Value):
        values = [values]
    elif isinstance(values, (ir.Operation, ir.OpView)):
        values = list(values.results)
    for changes in _watched.items:
        if changes.where == address(operation):
            changes.values = list(values)
    for old, new in zip(operation.results, values, strict=True):
        old.replace_all_uses_with(new)
    erase_op(operation)


def erase_if_unused(op: ir.Operation | ir.OpView) -> bool:
    """Erases `op`, which must have no side effect, if no result has a use. Returns whether it did."""
    if any(has_uses(result) for result in op.operation.results):
        return False
    erase_op(op)
    return True


def attributes_of(op: ir.Operation) -> dict[str, ir.Attribute]:
    """Returns the op's attributes by name."""
    return {name: op.attributes[name] for name in op.attributes}


def defining_op(value: ir.Value, name: str | None = None) -> ir.Operation | None:
    """Returns the op that defines `value`, or None for a block argument or an op not called `name`."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    operation = owner.operation
    return operation if name is None or operation.name == name else None


def has_uses(value: ir.Value) -> bool:
    """Whether anything uses `value`."""
    return next(iter(value.uses), None) is not None


def has_one_use(value: ir.Value) -> bool:
    """Whether exactly one operand is `value`."""
    uses = iter(value.uses)
    return next(uses, None) is not None and next(uses, None) is None


def has_one_user(value: ir.Value) -> bool:
    """Whether exactly one op uses `value`, as one operand or as several."""
    return len({address(use.owner) for use in value.uses}) == 1


def terminator_of(block: ir.Block) -> ir.Operation:
    """Returns the block's last op."""
    return block.operations[len(block.operations) - 1].operation


def users(value: ir.Value) -> list[ir.Operation]:
    """Returns the distinct ops that use `value`, in the order of its use list."""
    return list({address(use.owner): use.owner.operation for use in value.uses}.values())
