"""Sums of a tile that several blocks compute: their parts in a workspace, and the launch that adds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import arith, ir, memref, vector
from mlc.dialects import accel
from mlc.passes.base import PassError
from mlc.passes.common.constants import constant_value
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.kernel_functions import WORKSPACE
from mlc.passes.common.rewriting import has_one_use, terminator_of

# Ops whose result is their operand, of this number, with something added, or in another shape.
_ADDS = {
    accel.Mma.NAME: 2,
    vector.MultiDimReduction.NAME: 1,
    vector.ShapeCast.NAME: 0,
    vector.Transpose.NAME: 0,
}
# Of the launch that adds: sums for each warp, and warps at most. All parts of a thread's sums may be on their
# way at the same time, in registers.
WARP_SUMS, MOST_WARPS = 256, 8


@dataclass(frozen=True)
class TileSums:
    """A launch with a block for each of `tiles`, and its `loop`, which adds to the sums of one tile. The loop
    counts from `lower` in `count` steps of `step`."""

    launch: ir.Operation
    loop: ir.Operation
    tiles: int
    lower: int
    step: int
    count: int

    @staticmethod
    def of(loop: ir.Operation) -> TileSums:
        """Raises PassError for loops that blocks cannot share."""
        launch = loop.parent.operation
        if (
            launch.name != accel.Launch.NAME
            or len(launch.operands) != 1
            or accel.Launch(launch).cluster is not None
        ):
            raise PassError(
                "blocks share the steps of a loop at the top of an accel.launch, of one dim without clusters",
                loop.location,
            )
        lower, upper, step = (constant_value(operand) for operand in list(loop.operands)[:3])
        tiles = constant_value(launch.operands[0])
        if lower is None or upper is None or step is None or tiles is None:
            raise PassError("blocks share loops whose bounds and grid are constants", loop.location)
        if not _only_adds(loop):
            raise PassError("blocks share loops that carry one tile, to which they only add", loop.location)
        return TileSums(launch, loop, tiles, lower, step, max(0, -(-(upper - lower) // step)))

    @property
    def body(self) -> ir.Block:
        return self.launch.regions[0].blocks[0]

    @property
    def kind(self) -> ir.VectorType:
        """Of the sums."""
        return self.loop.results[0].type

    @property
    def ops(self) -> list[ir.Operation]:
        """Those of the body but buffers, which stay at its top."""
        return [op.operation for op in self.body.operations if op.operation.name != accel.Alloc.NAME]

    def copy(self) -> TileSums:
        """The same launch once more, behind it."""
        number = [op.operation for op in self.body.operations].index(self.loop)
        with ir.InsertionPoint.after(self.launch):
            launch = self.launch.clone().operation
        loop = list(launch.regions[0].blocks[0].operations)[number].operation
        return TileSums(launch, loop, self.tiles, self.lower, self.step, self.count)

    def renumber(self, blocks: int) -> ir.Value:
        """Has the launch so many blocks; returns the number of one. Which tile it computes, `give_tile`
        says."""
        with ir.InsertionPoint(self.launch):
            self.launch.operands[0] = index(blocks)
        return self.body.add_argument(ir.IndexType.get(), self.launch.location)

    def give_tile(self, tile: ir.Value) -> None:
        self.body.arguments[0].replace_all_uses_with(tile)
        self.body.erase_argument(0)

    def run_from(self, first: ir.Value, end: ir.Value) -> None:
        """Has the loop run from one of its iterations to another, and begin with zeros."""
        for operand, iteration in enumerate((first, end)):
            distance = arith.MulIOp(iteration, index(self.step)).result
            self.loop.operands[operand] = arith.AddIOp(distance, index(self.lower)).result
        self.loop.operands[3] = _zeros(self.kind)

    def with_initial(self, sums: ir.Value, initial: ir.Value) -> ir.Value:
        """`sums`, which began with zeros, and what the loop began with."""
        return sums if _is_zero(initial) else _sum(initial, sums)

    def finish_with(self, sums: ir.Value, least: int = 0) -> None:
        """Puts sums of all steps in the place of the loop, and of its buffers; more warps, `least` at least,
        have fewer of them each."""
        given = self.launch.attributes["warps"]
        warps = max(given.value, min(MOST_WARPS, prod(self.kind.shape) // WARP_SUMS), least)
        self.launch.attributes["warps"] = ir.IntegerAttr.get(given.type, warps)
        sums = self.with_initial(sums, self.loop.operands[3])
        self.loop.results[0].replace_all_uses_with(sums)
        self.loop.erase()
        for operation in [op.operation for op in self.body.operations]:
            if operation.name == accel.Alloc.NAME and not list(accel.Alloc(operation).memory.uses):
                operation.erase()


def workspace(sums: TileSums, tiles: int, last: ir.Operation) -> ir.Value:
    """Memory for so many tiles of sums, in front of the launch that makes them; nobody reads it behind
    `last`."""
    kind = ir.MemRefType.get([tiles, *sums.kind.shape], sums.kind.element_type)
    with ir.InsertionPoint(sums.launch):
        memory = memref.AllocOp(kind, [], [])
    memory.operation.attributes[WORKSPACE] = ir.UnitAttr.get()
    with ir.InsertionPoint.after(last):
        memref.DeallocOp(memory.result)
    return memory.result


def write_sums(memory: ir.Value, number: ir.Value, sums: ir.Value) -> None:
    """As the tile of this number in a workspace."""
    vector.TransferWriteOp(None, sums, memory, *_place(memory, number))


def read_sums(memory: ir.Value, number: ir.Value) -> ir.Value:
    """The tile of this number in a workspace."""
    indices, places, inside = _place(memory, number)
    kind = ir.VectorType.get(memory.type.shape[1:], memory.type.element_type)
    padding = arith.ConstantOp(kind.element_type, _zero(kind.element_type)).result
    return vector.TransferReadOp(kind, memory, indices, places, padding, inside).result


def add_sums(total: ir.Value, memory: ir.Value, number: ir.Value) -> ir.Value:
    """`total` and the tile of this number in a workspace."""
    return _sum(total, read_sums(memory, number))


def move(ops: Sequence[ir.Operation], block: ir.Block) -> None:
    """To the end of a block."""
    for op in ops:
        ir.InsertionPoint(block).insert(op.detach_from_parent())


def _place(memory: ir.Value, number: ir.Value) -> tuple[list[ir.Value], ir.Attribute, ir.Attribute]:
    """Indices, permutation and bounds of a transfer."""
    rank = memory.type.rank
    places = ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(dim) for dim in range(1, rank)])
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(True)] * (rank - 1))
    return [number, *(index(0) for _ in range(1, rank))], ir.AffineMapAttr.get(places), inside


def _only_adds(loop: ir.Operation) -> bool:
    """Whether what the loop carries is one tile, and goes only through ops that add to it."""
    body = loop.regions[0].blocks[0]
    arguments, yielded = list(body.arguments)[1:], list(terminator_of(body).operands)
    if len(arguments) != 1 or not isinstance(arguments[0].type, ir.VectorType):
        return False
    value = arguments[0]
    while value != yielded[0]:
        if not has_one_use(value):
            return False
        use = next(iter(value.uses))
        op = use.owner.operation
        adds = op.name in (arith.AddF.NAME, arith.AddI.NAME) or _ADDS.get(op.name) == use.operand_number
        if not adds or str(op.attributes.get("kind", _ADD)) != _ADD:
            return False
        value = op.results[0]
    return has_one_use(value)


_ADD = "#vector.kind<add>"


def _zero(kind: ir.Type) -> ir.Attribute:
    return ir.FloatAttr.get(kind, 0.0) if isinstance(kind, ir.FloatType) else ir.IntegerAttr.get(kind, 0)


def _zeros(kind: ir.VectorType) -> ir.Value:
    return arith.ConstantOp(kind, ir.DenseElementsAttr.get_splat(kind, _zero(kind.element_type))).result


def _is_zero(value: ir.Value) -> bool:
    source = vector.Broadcast.defining(value)
    constant = arith.Constant.defining(source.source if source is not None else value)
    if constant is None:
        return False
    number = constant.value
    if isinstance(number, ir.DenseElementsAttr):
        return bool(number.is_splat) and number.get_splat_value().value == 0
    return bool(number.value == 0)


def _sum(total: ir.Value, part: ir.Value) -> ir.Value:
    adds = arith.AddFOp if isinstance(total.type.element_type, ir.FloatType) else arith.AddIOp
    return adds(total, part).result
