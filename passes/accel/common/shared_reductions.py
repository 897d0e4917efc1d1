"""Accumulators of a tile that several blocks compute: a workspace for partial ones, and the launch that adds
them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import arith, ir, memref, scf, vector
from mlc.dialects import accel
from mlc.passes.base import PassError
from mlc.passes.common.constants import constant_value, is_zero_constant
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.kernel_functions import WORKSPACE
from mlc.passes.common.rewriting import has_one_use

# Ops whose result is the operand at this position, with terms added, or in another shape.
_ADDS = {
    accel.Mma.NAME: 2,
    vector.MultiDimReduction.NAME: 1,
    vector.ShapeCast.NAME: 0,
    vector.Transpose.NAME: 0,
}
# In the launch that adds: elements per warp, and the maximum number of warps. The loads of all parts may be
# in flight together.
WARP_SUMS, MOST_WARPS = 256, 8


@dataclass(frozen=True)
class SharedReduction:
    """A launch with a block for each of `tiles`, and its `loop`, which adds to the accumulator of one tile.
    The loop has `count` iterations from `lower` with step `step`."""

    launch: ir.Operation
    loop: ir.Operation
    tiles: int
    lower: int
    step: int
    count: int

    @staticmethod
    def of(loop: ir.Operation) -> SharedReduction:
        """Returns the launch around a loop. Raises PassError for loops that blocks cannot share."""
        launch = loop.parent.operation
        if (
            launch.name != accel.Launch.NAME
            or len(accel.Launch(launch).grid) != 1
            or accel.Launch(launch).cluster is not None
        ):
            raise PassError(
                "blocks share the steps of a loop at the top of an accel.launch, of one dim without clusters",
                loop.location,
            )
        view, (grid,) = scf.For(loop), accel.Launch(launch).grid
        lower, upper, step = map(constant_value, (view.lower_bound, view.upper_bound, view.step))
        tiles = constant_value(grid)
        if lower is None or upper is None or step is None or tiles is None:
            raise PassError("blocks share loops whose bounds and grid are constants", loop.location)
        if not _only_adds(loop):
            raise PassError("blocks share loops that carry one tile, to which they only add", loop.location)
        return SharedReduction(launch, loop, tiles, lower, step, max(0, -(-(upper - lower) // step)))

    @property
    def body(self) -> ir.Block:
        """The body of the launch."""
        return accel.Launch(self.launch).entry_block

    @property
    def result(self) -> ir.Value:
        """The accumulator after the loop."""
        return scf.For(self.loop).results[0]

    @property
    def result_type(self) -> ir.VectorType:
        """The type of the accumulator."""
        return self.result.type

    @property
    def ops(self) -> list[ir.Operation]:
        """The ops of the body except for allocations, which stay at its top."""
        return [op.operation for op in self.body.operations if op.operation.name != accel.Alloc.NAME]

    def copy(self) -> SharedReduction:
        """Clones the launch after itself."""
        position = [op.operation for op in self.body.operations].index(self.loop)
        with ir.InsertionPoint.after(self.launch):
            launch = self.launch.clone().operation
        loop = list(accel.Launch(launch).entry_block.operations)[position].operation
        return SharedReduction(launch, loop, self.tiles, self.lower, self.step, self.count)

    def set_blocks(self, blocks: int) -> ir.Value:
        """Gives the launch `blocks` blocks; returns the index of a block. `set_tile` sets the tile that it
        computes."""
        with ir.InsertionPoint(self.launch):
            self.launch.operands[0] = index(blocks)
        return self.body.add_argument(ir.IndexType.get(), self.launch.location)

    def set_tile(self, tile: ir.Value) -> None:
        """Sets the index of the tile that a block computes."""
        self.body.arguments[0].replace_all_uses_with(tile)
        self.body.erase_argument(0)

    def restrict_to(self, first: ir.Value, end: ir.Value) -> None:
        """Restricts the loop to the iterations from `first` to `end`, and its accumulator to begin with
        zeros."""
        for operand, iteration in enumerate((first, end)):
            distance = arith.MulIOp(iteration, index(self.step)).result
            self.loop.operands[operand] = arith.AddIOp(distance, index(self.lower)).result
        self.loop.operands[3] = _zeros(self.result_type)

    def with_initial(self, sums: ir.Value, initial: ir.Value) -> ir.Value:
        """Adds the initial value of the loop to `sums`, which began with zeros."""
        return sums if _is_zero(initial) else _sum(initial, sums)

    def finish_with(self, sums: ir.Value, least: int = 0) -> None:
        """Replaces the loop and its buffers by the sums of all steps. The launch gets more warps, at least
        `least`, so that each has fewer elements."""
        launch = accel.Launch(self.launch)
        launch.warps = max(launch.warps, min(MOST_WARPS, prod(self.result_type.shape) // WARP_SUMS), least)
        sums = self.with_initial(sums, scf.For(self.loop).init_args[0])
        self.result.replace_all_uses_with(sums)
        self.loop.erase()
        for operation in [op.operation for op in self.body.operations]:
            if operation.name == accel.Alloc.NAME and not list(accel.Alloc(operation).memory.uses):
                operation.erase()


def workspace(sums: SharedReduction, tiles: int, last: ir.Operation) -> ir.Value:
    """Allocates memory for `tiles` tiles of partial accumulators before the launch that writes them; it is
    freed after the op `last`."""
    tile = sums.result_type
    memory_type = ir.MemRefType.get([tiles, *tile.shape], tile.element_type)
    with ir.InsertionPoint(sums.launch):
        memory = memref.AllocOp(memory_type, [], [])
    memory.operation.attributes[WORKSPACE] = ir.UnitAttr.get()
    with ir.InsertionPoint.after(last):
        memref.DeallocOp(memory.result)
    return memory.result


def write_partial(memory: ir.Value, tile: ir.Value, sums: ir.Value) -> None:
    """Writes `sums` to the tile with the index `tile` of a workspace."""
    vector.TransferWriteOp(None, sums, memory, *_transfer(memory, tile))


def read_partial(memory: ir.Value, tile: ir.Value) -> ir.Value:
    """Reads the tile with the index `tile` of a workspace."""
    indices, permutation, inside = _transfer(memory, tile)
    result = ir.VectorType.get(memory.type.shape[1:], memory.type.element_type)
    padding = arith.ConstantOp(result.element_type, _zero(result.element_type)).result
    return vector.TransferReadOp(result, memory, indices, permutation, padding, inside).result


def add_partial(total: ir.Value, memory: ir.Value, tile: ir.Value) -> ir.Value:
    """Adds the tile with the index `tile` of a workspace to `total`."""
    return _sum(total, read_partial(memory, tile))


def move(ops: Sequence[ir.Operation], block: ir.Block) -> None:
    """Moves ops to the end of a block."""
    for op in ops:
        ir.InsertionPoint(block).insert(op.detach_from_parent())


def _transfer(memory: ir.Value, tile: ir.Value) -> tuple[list[ir.Value], ir.Attribute, ir.Attribute]:
    """Indices, permutation and bounds of a transfer of a tile."""
    rank = memory.type.rank
    permutation = ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(dim) for dim in range(1, rank)])
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(True)] * (rank - 1))
    return [tile, *(index(0) for _ in range(1, rank))], ir.AffineMapAttr.get(permutation), inside


def _only_adds(loop: ir.Operation) -> bool:
    """Whether a loop carries one tile, which only ops that add to it use."""
    arguments, yielded = scf.For(loop).iteration_arguments, list(scf.For(loop).terminator.operands)
    if len(arguments) != 1 or not isinstance(arguments[0].type, ir.VectorType):
        return False
    value = arguments[0]
    while value != yielded[0]:
        if not has_one_use(value):
            return False
        use = next(iter(value.uses))
        op = use.owner.operation
        adds = op.name in (arith.AddF.NAME, arith.AddI.NAME) or _ADDS.get(op.name) == use.operand_number
        reduction = vector.MultiDimReduction.match(op)
        if not adds or (reduction is not None and str(reduction.kind) != _ADD):
            return False
        value = op.results[0]
    return has_one_use(value)


_ADD = "#vector.kind<add>"


def _zero(element: ir.Type) -> ir.Attribute:
    return (
        ir.FloatAttr.get(element, 0.0)
        if isinstance(element, ir.FloatType)
        else ir.IntegerAttr.get(element, 0)
    )


def _zeros(vector_type: ir.VectorType) -> ir.Value:
    splat = ir.DenseElementsAttr.get_splat(vector_type, _zero(vector_type.element_type))
    return arith.ConstantOp(vector_type, splat).result


def _is_zero(value: ir.Value) -> bool:
    broadcast = vector.Broadcast.defining(value)
    return is_zero_constant(value if broadcast is None else broadcast.source)


def _sum(total: ir.Value, part: ir.Value) -> ir.Value:
    adds = arith.AddFOp if isinstance(total.type.element_type, ir.FloatType) else arith.AddIOp
    return adds(total, part).result
