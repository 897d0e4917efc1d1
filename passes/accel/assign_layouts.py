"""Which thread holds what of each vector of a launch: products decide first, then what memory likes best."""

from __future__ import annotations

import math
from collections.abc import Callable

from mlc.bindings import ir
from mlc.passes.accel.layouts import Layout, blocked
from mlc.passes.accel.matrix_layouts import scalar_grid, scalar_sums
from mlc.passes.accel.shared_memory import element_bytes
from mlc.passes.accel.threads.addresses import LONGEST_BYTES
from mlc.passes.accel.threads.architecture import Architecture
from mlc.passes.accel.threads.elementwise import broadcast_source
from mlc.passes.accel.threads.small_floats import MOVES, format_of
from mlc.passes.accel.threads.transfers import mask_layout, mask_of
from mlc.passes.base import PassFailure
from mlc.passes.rewriting import collect_ops, defining_op

# From one value's layout follows that of another, by a function.
Relation = tuple[ir.Value, Callable[[Layout], Layout]]


def assign_layouts(launch: ir.Operation, architecture: Architecture) -> dict[ir.Value, Layout]:
    """A layout for every vector. Raises PassFailure for tiles whose extents are no powers of two."""
    assignment = Assignment(architecture, architecture.warps(launch.attributes["warps"].value))
    ops = collect_ops(launch)
    for op in ops:
        assignment.relate(op)
    assignment.find_reduced_rows(ops)
    for chosen in (_products, _left_operands, _reductions, _transfers, _others):
        for op in sorted(ops, key=_size, reverse=True):
            for value in _vectors(op):
                if value not in assignment.layouts and (layout := chosen(op, value, assignment)):
                    assignment.assign(value, layout)
    return assignment.layouts


def _vectors(op: ir.Operation) -> list[ir.Value]:
    """What an op makes or takes."""
    return [each for each in (*op.results, *op.operands) if isinstance(each.type, ir.VectorType)]


def _size(op: ir.Operation) -> int:
    return max((math.prod(each.type.shape) for each in _vectors(op)), default=0)


def _products(op: ir.Operation, value: ir.Value, given: Assignment) -> Layout | None:
    if op.name != "accel.mma" or value != op.results[0]:
        return None
    product, whole_rows = given.architecture.tensor_product(op), value in given.reduced_rows
    if product is not None:
        return product.sums(given.warps, whole_rows=whole_rows)
    (rows, columns), lane_bits = value.type.shape, given.architecture.lane_bits
    grid = scalar_grid(rows, columns, given.warps, lane_bits, whole_rows=whole_rows)
    return scalar_sums(rows, columns, grid, lane_bits)


def _left_operands(op: ir.Operation, value: ir.Value, given: Assignment) -> Layout | None:
    """In registers from the start as tensor units take them."""
    if op.name != "accel.mma" or value != op.operands[0] or "transpose_a" in op.attributes:
        return None
    product = given.architecture.tensor_product(op)
    return None if product is None else product.left(given.layouts[op.results[0]])


def _reductions(op: ir.Operation, value: ir.Value, given: Assignment) -> Layout | None:
    """Lanes along the last dim, and warps along others: only lanes then exchange what they have."""
    if op.name != "vector.multi_reduction" or value != op.operands[0] or value.type.rank < 2:
        return None
    shape, warps = list(value.type.shape), given.warps
    rows = math.prod(shape[:-1])
    shared = math.gcd(rows, warps)
    whole = blocked(shape, 1, _run(value), lane_bits=given.architecture.lane_bits)
    free = [each for each in whole.registers if not each[-1]]
    taken = free[: shared.bit_length() - 1]
    rest = [each for each in whole.registers if each not in taken]
    beyond = [each for each in rest if each[-1] >= _run(value)]
    while len(taken) < warps.bit_length() - 1:
        taken.append(beyond.pop() if beyond else (0,) * len(shape))
    registers = tuple(each for each in whole.registers if each not in taken)
    return Layout(tuple(shape), registers, whole.lanes, tuple(taken))


def _transfers(op: ir.Operation, value: ir.Value, given: Assignment) -> Layout | None:
    memory_ops = ("vector.transfer_read", "vector.transfer_write", "vector.gather")
    return _others(op, value, given) if op.name in memory_ops else None


def _others(_op: ir.Operation, value: ir.Value, given: Assignment) -> Layout | None:
    return blocked(value.type.shape, given.warps, _run(value), lane_bits=given.architecture.lane_bits)


def _run(value: ir.Value) -> int:
    kind = value.type.element_type
    return max(1, LONGEST_BYTES // (4 if isinstance(kind, ir.IndexType) else element_bytes(kind)))


def _reduces_rows(op: ir.Operation) -> bool:
    return (
        op.name == "vector.multi_reduction"
        and op.operands[0].type.rank == 2
        and list(ir.DenseI64ArrayAttr(op.attributes["reduction_dims"])) == [1]
    )


class Assignment:
    """Layouts so far; what follows from one is assigned with it."""

    def __init__(self, architecture: Architecture, warps: int) -> None:
        self.architecture, self.warps = architecture, warps
        self.layouts: dict[ir.Value, Layout] = {}
        self.relations: dict[ir.Value, list[Relation]] = {}
        # Tiles whose rows are reduced, and all that meet them.
        self.reduced_rows: set[ir.Value] = set()

    def assign(self, value: ir.Value, layout: Layout) -> None:
        """Sets a layout, and those that follow from it where there are none yet."""
        waiting = [(value, layout)]
        while waiting:
            value, layout = waiting.pop(0)
            if value in self.layouts:
                continue
            self.layouts[value] = layout
            waiting += [(other, follow(layout)) for other, follow in self.relations.get(value, [])]

    def find_reduced_rows(self, ops: list[ir.Operation]) -> None:
        """Follows all relations, in both directions, from matrices that are reduced along their rows: what
        one warp has of a row it need not ask another one for."""
        beside: dict[ir.Value, list[ir.Value]] = {}
        for source, followers in self.relations.items():
            for value, _ in followers:
                beside.setdefault(source, []).append(value)
                beside.setdefault(value, []).append(source)
        waiting = [op.operands[0] for op in ops if _reduces_rows(op)]
        while waiting:
            value = waiting.pop()
            if value not in self.reduced_rows:
                self.reduced_rows.add(value)
                waiting += beside.get(value, [])

    def relate(self, op: ir.Operation) -> None:
        """Notes what an op says of its operands' and results' layouts."""
        for value in _vectors(op):
            if format_of(value.type.element_type) is not None and op.name not in MOVES:
                raise PassFailure(
                    f"cannot distribute '{op.name}' on floats of 8 bits: extend them first", op.location
                )
            if any(extent & (extent - 1) for extent in value.type.shape):
                raise PassFailure(f"a tile's extents must be powers of two, not {value.type}", op.location)
        relate = _RELATIONS.get(op.name)
        if relate is not None:
            relate(self, op)
        elif op.name.startswith(("arith.", "math.")):
            self.same(_vectors(op))

    def same(self, values: list[ir.Value]) -> None:
        """All have one layout."""
        for one in values:
            for other in values:
                if one != other:
                    self.follows(other, one, lambda layout: layout)

    def follows(self, value: ir.Value, source: ir.Value, how: Callable[[Layout], Layout]) -> None:
        """The layout of `value` follows from that of `source`; nothing does from a constant's, which is made
        anew in every layout."""
        if defining_op(source, "arith.constant") is not None:
            return
        self.relations.setdefault(source, []).append((value, how))


def _relate_loop(self: Assignment, op: ir.Operation) -> None:
    body = op.regions[0].blocks[0]
    yielded = body.operations[len(body.operations) - 1].operation.operands
    groups = zip(list(op.operands)[3:], list(body.arguments)[1:], yielded, op.results, strict=True)
    for given, argument, after, result in groups:
        if isinstance(result.type, ir.VectorType):
            self.same([argument, given, after, result])


def _relate_branch(self: Assignment, op: ir.Operation) -> None:
    for region in op.regions:
        for block in region:
            yielded = block.operations[len(block.operations) - 1].operation.operands
            for value, result in zip(yielded, op.results, strict=True):
                if isinstance(result.type, ir.VectorType):
                    self.same([value, result])


def _relate_broadcast(self: Assignment, op: ir.Operation) -> None:
    (operand,), (result,) = op.operands, op.results
    if isinstance(operand.type, ir.VectorType):
        self.follows(operand, result, lambda layout: broadcast_source(layout, operand.type))


def _relate_reduction(self: Assignment, op: ir.Operation) -> None:
    source, initial = op.operands
    (result,) = op.results
    dims = list(ir.DenseI64ArrayAttr(op.attributes["reduction_dims"]))
    for each in (result, initial):
        if isinstance(each.type, ir.VectorType):
            self.follows(each, source, lambda layout: layout.reduced(dims))
            self.follows(each, result, lambda layout: layout)
            self.follows(result, each, lambda layout: layout)


def _relate_reshape(self: Assignment, op: ir.Operation) -> None:
    (operand,), (result,) = op.operands, op.results
    self.follows(result, operand, lambda layout: layout.reshaped(list(result.type.shape)))
    self.follows(operand, result, lambda layout: layout.reshaped(list(operand.type.shape)))


def _relate_transpose(self: Assignment, op: ir.Operation) -> None:
    (operand,), (result,) = op.operands, op.results
    order = list(ir.DenseI64ArrayAttr(op.attributes["permutation"]))
    if _turns_neighbours(operand, order):
        return
    back = [order.index(dim) for dim in range(len(order))]
    self.follows(result, operand, lambda layout: layout.transposed(order))
    self.follows(operand, result, lambda layout: layout.transposed(back))


def _relate_transfer(self: Assignment, op: ir.Operation) -> None:
    mask = mask_of(op)
    if mask is not None:
        tile = op.results[0] if op.name == "vector.transfer_read" else op.operands[0]
        self.follows(mask, tile, lambda layout: mask_layout(op, layout))


def _turns_neighbours(value: ir.Value, order: list[int]) -> bool:
    """Whether a tile is read from memory along one dim, and is used along another: threads then change what
    they have, so that neighbours read and write neighbours."""
    read = defining_op(value, "vector.transfer_read") is not None
    first, last = value.type.shape[-1], value.type.shape[order[-1]]
    return read and order[-1] != len(order) - 1 and first > 1 and last > 1


def _relate_gather(self: Assignment, op: ir.Operation) -> None:
    self.same(_vectors(op))


def _relate_product(self: Assignment, op: ir.Operation) -> None:
    self.same([op.operands[2], op.results[0]])


_RELATIONS: dict[str, Callable[[Assignment, ir.Operation], None]] = {
    "accel.mma": _relate_product,
    "scf.for": _relate_loop,
    "scf.if": _relate_branch,
    "vector.broadcast": _relate_broadcast,
    "vector.gather": _relate_gather,
    "vector.multi_reduction": _relate_reduction,
    "vector.shape_cast": _relate_reshape,
    "vector.transfer_read": _relate_transfer,
    "vector.transfer_write": _relate_transfer,
    "vector.transpose": _relate_transpose,
}
