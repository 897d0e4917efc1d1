"""Loops of the primitives on nests: `affine.for` over memory, `scf.for` over memory or tensors."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import address, affine, func, ir, scf
from mlc.passes.common.affine import smallest_constant, without_symbols
from mlc.passes.common.constants import constant_value
from mlc.passes.common.rewriting import terminator_of
from mlc.passes.schedule.common.state import StepError

SEQUENTIAL = (affine.AffineFor.NAME, scf.For.NAME)
PARALLEL = (affine.AffineParallel.NAME, scf.Parallel.NAME, scf.Forall.NAME)
# The attribute that names a loop in messages.
NAME = "tloop.name"


@dataclass
class Loop:
    """A sequential loop. Bounds, step and trip count are None if they are dynamic."""

    op: ir.Operation

    @property
    def is_affine(self) -> bool:
        """Whether the loop is an `affine.for`."""
        return self.op.name == affine.AffineFor.NAME

    @property
    def body(self) -> ir.Block:
        """The block of the body."""
        return self.op.regions[0].blocks[0]

    @property
    def iv(self) -> ir.Value:
        """The induction variable."""
        return self.body.arguments[0]

    @property
    def carried(self) -> list[ir.Value]:
        """The iteration arguments of the body."""
        return list(self.body.arguments)[1:]

    @property
    def inits(self) -> list[ir.Value]:
        """The initial values of the iteration arguments."""
        operands = list(self.op.operands)
        return operands[len(operands) - len(self.op.results) :]

    @property
    def statements(self) -> list[ir.Operation]:
        """The ops of the body but its terminator."""
        return [op.operation for op in self.body.operations][:-1]

    @property
    def terminator(self) -> ir.Operation:
        """The terminator of the body."""
        return terminator_of(self.body)

    @property
    def name(self) -> str:
        """The name in messages, or else the bounds."""
        if NAME in self.op.attributes:
            return self.op.attributes[NAME].value
        upper = "?" if self.upper is None else self.upper
        lower = "?" if self.lower is None else self.lower
        return f"from {lower} to {upper}" + (f" step {self.step}" if self.step != 1 else "")

    @property
    def lower(self) -> int | None:
        """The lower bound."""
        return self._bound("lower")

    @property
    def upper(self) -> int | None:
        """The upper bound, excluded."""
        return self._bound("upper")

    @property
    def step(self) -> int | None:
        """The step."""
        if self.is_affine:
            return affine.AffineFor(self.op).step
        return constant_value(self.op.operands[2])

    @property
    def trips(self) -> int | None:
        """The trip count."""
        if self.lower is None or self.upper is None or self.step is None:
            return None
        return max(0, -(-(self.upper - self.lower) // self.step))

    @property
    def last(self) -> int | None:
        """An upper bound of the index's values; None if none is known."""
        if self.upper is not None:
            return self.upper - 1
        if self.is_affine:
            most = smallest_constant(affine.AffineFor(self.op).upper_bound_map)
        else:
            minimum = affine.AffineMin.defining(self.op.operands[1])
            most = smallest_constant(minimum.map) if minimum is not None else None
        return None if most is None else most - 1

    @property
    def most_trips(self) -> int | None:
        """The trip count, or an upper bound of it; None if neither is known."""
        if self.last is None or self.lower is None or self.step is None:
            return self.trips
        return max(0, -(-(self.last + 1 - self.lower) // self.step))

    def bound(self, which: str) -> tuple[ir.AffineMap, list[ir.Value]]:
        """Returns the "lower" or "upper" bound as a map (a minimum if it has several results) and its
        operands."""
        if not self.is_affine:
            value = self.op.operands[0 if which == "lower" else 1]
            known = constant_value(value)
            return (
                (ir.AffineMap.get_constant(known), [])
                if known is not None
                else (ir.AffineMap.get_identity(1), [value])
            )
        loop = affine.AffineFor(self.op)
        if which == "lower":
            return without_symbols(loop.lower_bound_map), loop.lower_bound_operands
        return without_symbols(loop.upper_bound_map), loop.upper_bound_operands

    def _bound(self, which: str) -> int | None:
        if not self.is_affine:
            return constant_value(self.op.operands[0 if which == "lower" else 1])
        results = list(self.bound(which)[0].results)
        if len(results) == 1 and isinstance(results[0], ir.AffineConstantExpr):
            return int(ir.AffineConstantExpr(results[0]).value)
        return None


def sequential(op: ir.Operation) -> Loop:
    """Returns `op` as a loop. Raises StepError for parallel ones."""
    if op.name not in SEQUENTIAL:
        raise StepError("the loop is parallel; only a sequential one can be changed")
    return Loop(op)


def enclosing_loops(op: ir.Operation) -> list[ir.Operation]:
    """Returns the loops around `op`, outermost first."""
    found: list[ir.Operation] = []
    parent = op.parent
    while parent is not None and parent.operation.name != func.Func.NAME:
        if parent.operation.name in (*SEQUENTIAL, *PARALLEL):
            found.insert(0, parent.operation)
        parent = parent.operation.parent
    return found


def is_inside(op: ir.Operation, loop: ir.Operation) -> bool:
    """Whether `op` is in the body of `loop`, at any depth."""
    return any(address(outer) == address(loop) for outer in enclosing_loops(op))


def loop_of(value: ir.Value) -> Loop | None:
    """Returns the sequential loop whose index `value` is, or None."""
    owner = value.owner
    if not isinstance(owner, ir.Block) or owner.owner is None or owner.owner.operation.name not in SEQUENTIAL:
        return None
    return Loop(owner.owner.operation) if value == owner.arguments[0] else None


def is_defined_outside(value: ir.Value, loop: ir.Operation) -> bool:
    """Whether `value` is defined outside of `loop`."""
    owner = value.owner
    op = owner.owner.operation if isinstance(owner, ir.Block) else owner.operation
    return address(op) != address(loop) and not is_inside(op, loop)
