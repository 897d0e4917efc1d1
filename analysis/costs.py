"""The cost of one graph op: operations and memory accesses.

Memory accesses are the literature's: one input read per MAC, each weight once, each output once, in elements.
Moved bytes are the least that a machine with unlimited caches moves: each operand and each result once.
`flop_counts` defines what counts as an operation.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.analysis.flop_counts import MACS, flops_function, window_elements
from mlc.analysis.value_sizes import byte_size, elements, elements_read
from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op
from mlc.passes.graph.common.views import CONSTANTS, RESHAPES


@dataclass(frozen=True)
class Cost:
    """Counts of one op, or sums of several: multiply-accumulates, floating-point operations (two per MAC),
    memory accesses (elements), moved bytes."""

    macs: int = 0
    flops: int = 0
    accesses: int = 0
    moved_bytes: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.macs + other.macs,
            self.flops + other.flops,
            self.accesses + other.accesses,
            self.moved_bytes + other.moved_bytes,
        )

    def __mul__(self, times: int) -> Cost:
        return Cost(self.macs * times, self.flops * times, self.accesses * times, self.moved_bytes * times)

    @property
    def intensity(self) -> float:
        """Floating-point operations per moved byte."""
        return self.flops / self.moved_bytes if self.moved_bytes else 0.0


def accesses(op: ir.Operation) -> int:
    """Returns the memory accesses: for products and convolutions one input read per MAC, each weight once,
    each output once; for windows one read per window element; otherwise each operand and each result once."""
    written = sum(map(elements, op.results))
    if op.name in MACS:
        return MACS[op.name](op) + _stationary(op) + written
    if op.name in (graph.MaxPool.NAME, graph.AveragePool.NAME):
        return window_elements(op) + written
    return sum(elements_read(op, index) for index in range(len(op.operands))) + written


def _stationary(op: ir.Operation) -> int:
    """Returns the number of elements of the operands that are read once, as weights: all but the first, or
    the first if only it is constant."""
    operands = list(op.operands)
    first, second = map(_is_constant, operands[:2])
    return sum(map(elements, operands[:1] if first and not second else operands[1:]))


def _is_constant(value: ir.Value) -> bool:
    owner = defining_op(value)
    return owner is not None and owner.name in CONSTANTS


def moved_bytes(op: ir.Operation) -> int:
    """Returns the bytes that the op reads and writes, each value once."""
    read = {value: elements_read(op, index) for index, value in enumerate(op.operands)}
    written = sum(map(byte_size, op.results))
    return written + sum(byte_size(value, count) for value, count in read.items())


def op_cost(op: ir.Operation) -> Cost:
    """Returns the cost of one graph op: of an `if` that of its dearer branch, of a loop that of its body
    times its trip count, which counts as 1 if it is dynamic. Raises `UnknownSizeError`."""
    if op.name in RESHAPES | CONSTANTS | {graph.Yield.NAME}:
        return Cost()
    if op.regions:
        return _bodies_cost(op)
    macs = MACS[op.name](op) if op.name in MACS else 0
    flops = flops_function(op.name.removeprefix("graph."))(op)
    return Cost(macs, flops, accesses(op), moved_bytes(op))


def _bodies_cost(op: ir.Operation) -> Cost:
    bodies = [
        sum((op_cost(inner.operation) for inner in region.blocks[0].operations), Cost())
        for region in op.regions
    ]
    dearest = max(bodies, key=lambda cost: (cost.flops, cost.moved_bytes))
    return dearest * trip_count(op) if graph.Loop.isa(op) else dearest


def trip_count(loop: ir.Operation) -> int:
    """Returns the trip count if it is a constant, else 1. The largest i64 stands for "no limit"."""
    constant = graph.Constant.defining(graph.Loop(loop).trip_count)
    count = 1 if constant is None else int(constant.value)
    return count if count < 1 << 62 else 1
