"""What one graph op computes and moves: a small cost function per family of ops.

Conventions. A multiply-accumulate (MAC) is two floating-point operations; elementwise ops are one per result
element, whatever the function; ops that compute on integers and truth values count alike. Memory accesses
are the literature's: one input read per MAC, each weight once, each output once, in elements. Moved bytes
are the least that a machine with unlimited caches moves: each operand and each result once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import element_bytes
from mlc.dialects.graph.types import element_name
from mlc.passes.graph.views import CONSTANTS, RESHAPES
from mlc.passes.rewriting import defining_op


class UnknownSize(Exception):
    """A value has a dim that is not known, so that nothing can be counted."""

    def __init__(self, message: str, location: ir.Location) -> None:
        super().__init__(message)
        self.message = message
        self.location = location


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


def shape(value: ir.Value) -> list[int]:
    """The dims of a tensor. Raises `UnknownSize`, which names the value and the dim."""
    try:
        dims = graph.shape_of(value)
    except graph.ShapeError as error:
        raise UnknownSize(str(error), value.location) from error
    if None in dims:
        raise UnknownSize(
            f"dim {dims.index(None)} of a value of type {value.type} is not known", value.location
        )
    return dims


def elements(value: ir.Value) -> int:
    """The number of elements of a tensor."""
    return prod(shape(value))


def byte_size(value: ir.Value, count: int | None = None) -> int:
    """The bytes of `count` elements of a tensor, of all of them by default."""
    width = element_bytes(element_name(value.type.element_type))
    return (elements(value) if count is None else count) * width


def touched(op: ir.Operation, index: int) -> int:
    """How many elements of operand `index` the op reads, each counted once."""
    size = elements(op.operands[index])
    selects = op.name in ("graph.gather", "graph.gather_elements", "graph.gather_nd", "graph.slice")
    return min(size, elements(op.results[0])) if selects and index == 0 else size


def _matmul(op: ir.Operation) -> int:
    """`[..., M, K]` by `[..., K, N]`, or by panels `[N/t, K, t]`: K per result element."""
    return elements(op.results[0]) * shape(op.operands[0])[-1]


def _conv(op: ir.Operation) -> int:
    """One per result element and weight of its output channel; see `graph.conv` for the layouts."""
    weights = shape(op.operands[1])
    blocked = graph.attribute(op, "layout") != "NCHW"
    # The output channel is the first dim, blocked also the last: [O, C/group, kernel...],
    # [O/o, (C/group)/c, kernel..., c, o], depthwise [C/c, kernel..., c].
    return elements(op.results[0]) * prod(weights[1:-1] if blocked else weights[1:])


def _scores(op: ir.Operation) -> int:
    """How many scores attention computes: one per query and key, also those that a mask leaves out."""
    return prod(shape(op.results[0])[:-1]) * shape(op.operands[1])[-2]


def _attention(op: ir.Operation) -> int:
    """q `[..., S, D]`, v `[..., T, E]`: D products per score, and each score is multiplied with E values."""
    return _scores(op) * (shape(op.operands[0])[-1] + shape(op.operands[2])[-1])


def _attention_flops(op: ir.Operation) -> int:
    """The products; scale, mask and softmax (5) of each score."""
    return 2 * _attention(op) + _scores(op) * (6 + (len(op.operands) > 3))


# Ops made of multiply-accumulates: these are the totals of the literature.
MACS: Mapping[str, Callable[[ir.Operation], int]] = {
    "graph.matmul": _matmul,
    "graph.matmul_packed": _matmul,
    "graph.conv": _conv,
    "graph.attention": _attention,
}


def _per_result(count: int) -> Callable[[ir.Operation], int]:
    return lambda op: count * elements(op.results[0])


def _per_operand(op: ir.Operation) -> int:
    return elements(op.operands[0])


def _window(op: ir.Operation) -> int:
    return elements(op.results[0]) * prod(graph.attribute(op, "kernel"))


def _lrn(op: ir.Operation) -> int:
    """Squares and sum of `size` channels; scale, offset, power, quotient."""
    return elements(op.results[0]) * (2 * graph.attribute(op, "size") + 4)


def _scatter(op: ir.Operation) -> int:
    """One per update that joins an element."""
    return 0 if graph.attribute(op, "reduction") == "none" else elements(op.operands[2])


def _suppression(op: ir.Operation) -> int:
    """Each score is compared once, and no box with more than all that may be chosen: 16 for an overlap."""
    images, classes, boxes = shape(op.operands[1])
    return images * classes * boxes * (1 + 16 * min(graph.attribute(op, "most"), boxes))


def _det(op: ir.Operation) -> int:
    """Elimination: a product and a difference for each element right below each of N - 1 pivots."""
    rows = shape(op.operands[0])[-1]
    return elements(op.results[0]) * 2 * sum(below * below for below in range(rows))


def _decisions(op: ir.Operation) -> int:
    """One comparison per decision, at most, and one addition per tree and weight."""
    rows, (groups, trees), weights = shape(op.results[0])[0], shape(op.operands[1]), shape(op.operands[5])[1]
    return rows * groups * trees * (graph.attribute(op, "depth") + weights)


def _nothing(_op: ir.Operation) -> int:
    return 0


_FAMILY_FLOPS: Mapping[str, Callable[[ir.Operation], int]] = {
    "elementwise": _per_result(1),
    "reduction": _per_operand,
    "quantisation": _per_result(2),
    "ordering": _per_operand,
    "compaction": _per_operand,
    "movement": _nothing,
    "creation": _nothing,
    "control flow": _nothing,
    # What the runtime computes with strings is no arithmetic.
    "objects": _nothing,
}
_FLOPS: Mapping[str, Callable[[ir.Operation], int]] = {
    "attention": _attention_flops,
    "bitcast": _nothing,
    "identity": _nothing,
    "det": _det,
    "non_max_suppression": _suppression,
    "scatter_elements": _scatter,
    "scatter_nd": _scatter,
    "max_pool": _window,
    "average_pool": _window,
    "lrn": _lrn,
    "tree_ensemble": _decisions,
    "softmax": _per_result(5),  # maximum, difference, exponential, sum, quotient
    "log_softmax": _per_result(5),  # maximum, difference, exponential, sum, difference
    "layer_norm": _per_result(5),  # sum, difference, square, sum, product
    "rms_norm": _per_result(3),  # square, sum, product
    "rotary_embedding": _per_result(3),  # two products, sum
    "batch_norm": _per_result(4),  # difference, two products, sum
    # Both dims, with the sums that rows of the matrices share; counted for F(4, 3).
    "winograd_input": _per_result(4),
    "winograd_output": _per_result(6),
}


def flops_function(name: str) -> Callable[[ir.Operation], int]:
    """What counts the floating-point operations of `graph.<name>`. KeyError if nothing does."""
    if name in _FLOPS:
        return _FLOPS[name]
    if f"graph.{name}" in MACS:
        return lambda op: 2 * MACS[op.name](op)
    return _FAMILY_FLOPS[graph.specs()[name].family]


def accesses(op: ir.Operation) -> int:
    """Memory accesses: for products and convolutions one input read per MAC, each weight once, each output
    once; for windows one read per window element; otherwise each operand and each result once."""
    written = sum(map(elements, op.results))
    if op.name in MACS:
        return MACS[op.name](op) + _stationary(op) + written
    if op.name in ("graph.max_pool", "graph.average_pool"):
        return _window(op) + written
    return sum(touched(op, index) for index in range(len(op.operands))) + written


def _stationary(op: ir.Operation) -> int:
    """Elements of the operands that play the weights' part: all but the first, or the first where only it
    is constant."""
    operands = list(op.operands)
    first, second = map(_is_constant, operands[:2])
    return sum(map(elements, operands[:1] if first and not second else operands[1:]))


def _is_constant(value: ir.Value) -> bool:
    owner = defining_op(value)
    return owner is not None and owner.name in CONSTANTS


def moved_bytes(op: ir.Operation) -> int:
    """Bytes of what the op reads and writes, each value once."""
    read = {value: touched(op, index) for index, value in enumerate(op.operands)}
    written = sum(map(byte_size, op.results))
    return written + sum(byte_size(value, count) for value, count in read.items())


def op_cost(op: ir.Operation) -> Cost:
    """The cost of one graph op. A choice costs as its dearer branch, a loop as its body times its trip count,
    or once where only a call knows that. Raises `UnknownSize`."""
    if op.name in RESHAPES | CONSTANTS | {"graph.yield"}:
        return Cost()
    if op.regions:
        return _bodies_cost(op)
    macs = MACS[op.name](op) if op.name in MACS else 0
    flops = flops_function(op.name.removeprefix("graph."))(op)
    return Cost(macs, flops, accesses(op), moved_bytes(op))


def _bodies_cost(op: ir.Operation) -> Cost:
    bodies = [
        sum((op_cost(each.operation) for each in region.blocks[0].operations), Cost())
        for region in op.regions
    ]
    dearest = max(bodies, key=lambda each: (each.flops, each.moved_bytes))
    return dearest * trip_count(op) if op.name == "graph.loop" else dearest


def trip_count(loop: ir.Operation) -> int:
    """The number of iterations if it is a constant, else 1. The largest i64 stands for "no limit"."""
    constant = defining_op(loop.operands[0], "graph.constant")
    count = 1 if constant is None else int(graph.attribute(constant, "value"))
    return count if count < 1 << 62 else 1
