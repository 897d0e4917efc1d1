"""accel-from-scan: lowers kernels of cumulative sums and products to parallel scans by thread blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import arith, func, ir, scf, vector
from mlc.dialects import graph
from mlc.passes.accel.common.memory_functions import on_memory
from mlc.passes.accel.tiles.block_order import delinearize
from mlc.passes.accel.tiles.launches import launch
from mlc.passes.accel.tiles.representations import Index, as_value, multiply
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import kernels_on_tensors
from mlc.passes.common.linalg_builders import affine_map, constant, dims
from mlc.passes.common.rewriting import collect_ops, erase_op
from mlc.passes.common.signedness import drop_signedness
from mlc.passes.schedule.gpu.tiles import ELEMENTS, next_power_of_two


@dataclass(frozen=True)
class ScanCombiner:
    """The combining operation of a scan: the name of the vector reduction, and its identity."""

    name: str
    identity: int

    def identity_tile(self, shape: Sequence[int], element: ir.Type) -> ir.Value:
        """Builds a tile of the identity."""
        tile_type = ir.VectorType.get(list(shape), element)
        floats = isinstance(element, ir.FloatType)
        value = (ir.FloatAttr if floats else ir.IntegerAttr).get(element, self.identity)
        return arith.ConstantOp(tile_type, ir.DenseElementsAttr.get_splat(tile_type, value)).result

    def combine(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """Combines two tiles of floats or of integers elementwise."""
        suffix = "f" if isinstance(a.type.element_type, ir.FloatType) else "i"
        result: ir.Value = getattr(arith, f"{self.name}{suffix}")(a, b)
        return result

    def total(self, tile: ir.Value, dim: int) -> ir.Value:
        """Reduces a tile along a dim."""
        shape = [extent for i, extent in enumerate(tile.type.shape) if i != dim]
        combining = ir.Attribute.parse(f"#vector.kind<{self.name}>")
        start = self.identity_tile(shape, tile.type.element_type)
        return vector.MultiDimReductionOp(combining, tile, start, ir.DenseI64ArrayAttr.get([dim])).result


SUMS, PRODUCTS = ScanCombiner("add", 0), ScanCombiner("mul", 1)


def reshape(tile: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Reshapes a tile; its elements stay in row-major order."""
    return vector.ShapeCastOp(ir.VectorType.get(list(shape), tile.type.element_type), tile).result


def broadcast(tile: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Broadcasts a tile along its dims of extent 1 to a shape of the same rank."""
    return vector.BroadcastOp(ir.VectorType.get(list(shape), tile.type.element_type), tile).result


@dataclass(frozen=True)
class Scan:
    """The scan of a tile `[before, extent, after]` along its second dim, whose extent is a power of two: from
    the first element on, or, in `reverse`, from the last."""

    before: int
    extent: int
    after: int
    reverse: bool
    combiner: ScanCombiner

    def sums(self, tile: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Builds for each element the sum of those before it, and the sum of all, `[before, after]`.

        Step k has the sums of all runs of 2^k elements. Of two adjacent runs, the sum of the first is added
        to the elements of the second. For a cumulative product, sums are products."""
        shape = [self.before, self.extent, self.after]
        totals, before = tile, self.combiner.identity_tile(shape, tile.type.element_type)
        run = 1
        while run < self.extent:
            pairs = reshape(totals, [self.before, self.extent // run // 2, 2, self.after])
            earlier = self.combiner.total(self._mask_pairs(pairs, 1 if self.reverse else 0), 2)
            before = self.combiner.combine(before, self._spread(earlier, run))
            totals = self.combiner.total(pairs, 2)
            run *= 2
        return before, reshape(totals, [self.before, self.after])

    def _spread(self, earlier: ir.Value, run: int) -> ir.Value:
        """Broadcasts the sums of the earlier runs of pairs to the later ones, the identity to the others."""
        count = self.extent // run // 2
        spread = [self.before, count, 2, run, self.after]
        wide = broadcast(reshape(earlier, [self.before, count, 1, 1, self.after]), spread)
        later = self._mask_pairs(wide, 0 if self.reverse else 1)
        return reshape(later, [self.before, self.extent, self.after])

    def _mask_pairs(self, tile: ir.Value, kept: int) -> ir.Value:
        """Replaces the elements that are not at index `kept` of pairs, the third dim, by the identity."""
        shape = list(tile.type.shape)
        pair = vector.StepOp(ir.VectorType.get([2], ir.IndexType.get())).result
        index = ir.IntegerAttr.get(ir.IndexType.get(), kept)
        wanted = arith.ConstantOp(pair.type, ir.DenseElementsAttr.get_splat(pair.type, index)).result
        is_kept = arith.cmpi(arith.CmpIPredicate.eq, pair, wanted)
        mask = broadcast(reshape(is_kept, [2 if dim == 2 else 1 for dim in range(len(shape))]), shape)
        return arith.select(mask, tile, self.combiner.identity_tile(shape, tile.type.element_type))


SCANS: dict[str, ScanCombiner] = {graph.Cumsum.NAME: SUMS, graph.Cumprod.NAME: PRODUCTS}
# Lines that are contiguous in memory, whose elements adjacent threads read.
LINES = 128


@dataclass(frozen=True)
class ScanTile:
    """The tile that a block scans at a time: `lines` along the dim `across` of the memory, None where there
    is no other dim than `axis`, and `steps` elements of each."""

    axis: int
    across: int | None
    lines: int
    steps: int

    @classmethod
    def of(cls, shape: list[int], axis: int) -> ScanTile:
        """Returns a tile that is long along the innermost dim, for coalesced accesses."""
        rank = len(shape)
        if rank == 1:
            return cls(axis, None, 1, min(next_power_of_two(shape[axis]), ELEMENTS))
        if axis < rank - 1:
            lines = min(next_power_of_two(shape[-1]), LINES)
            return cls(axis, rank - 1, lines, min(next_power_of_two(shape[axis]), max(1, ELEMENTS // lines)))
        steps = min(next_power_of_two(shape[axis]), ELEMENTS)
        return cls(axis, rank - 2, min(next_power_of_two(shape[rank - 2]), ELEMENTS // steps), steps)

    @property
    def dims(self) -> list[int]:
        """The dims of the memory that the tile has, outermost first."""
        return sorted(dim for dim in (self.across, self.axis) if dim is not None)

    def extent(self, dim: int) -> int:
        """Returns the number of elements along a dim of the memory."""
        return self.steps if dim == self.axis else self.lines if dim == self.across else 1

    def scan(self, reverse: bool, combiner: ScanCombiner) -> Scan:
        """Returns the scan of such a tile."""
        inner = self.across is not None and self.across > self.axis
        return Scan(1 if inner else self.lines, self.steps, self.lines if inner else 1, reverse, combiner)


@dataclass(frozen=True)
class ScanBuilder:
    """Builds the program of a kernel that reads the memref `x` and writes `y`."""

    op: ir.Operation
    x: ir.Value
    y: ir.Value
    tile: ScanTile

    @property
    def view(self) -> graph.Cumsum | graph.Cumprod:
        """The op that is lowered."""
        return graph.Cumsum.match(self.op) or graph.Cumprod(self.op)

    @property
    def combiner(self) -> ScanCombiner:
        """The combining operation of the op."""
        return SCANS[self.op.name]

    @property
    def element(self) -> ir.Type:
        """The type of the scan's elements; f32 for floats of 16 bits."""
        element = self.x.type.element_type
        return ir.F32Type.get() if isinstance(element, ir.F16Type | ir.BF16Type) else element

    def emit(self) -> None:
        """Builds the launch: a block for each group of lines, which scans them part by part."""
        shape, tile = list(self.x.type.shape), self.tile
        counts = [1 if dim == tile.axis else -(-size // tile.extent(dim)) for dim, size in enumerate(shape)]
        body = launch([prod(counts)])
        with ir.InsertionPoint(body):
            indices = delinearize(body.arguments[0], counts)
            starts = [multiply(index, tile.extent(dim)) for dim, index in enumerate(indices)]
            self._parts(starts, -(-shape[tile.axis] // tile.steps))

    def _parts(self, starts: list[Index], count: int) -> None:
        scan = self.tile.scan(self.view.reverse, self.combiner)
        carried = self.combiner.identity_tile([scan.before, scan.after], self.element)
        if count == 1:
            self._part(starts, 0, carried)
            return
        low, high, step = map(as_value, (0, count, 1))
        loop = scf.ForOp(low, high, step, [carried])
        with ir.InsertionPoint(loop.body):
            part = loop.induction_variable
            if self.view.reverse:
                part = arith.subi(as_value(count - 1), part)
            scf.YieldOp([self._part(starts, multiply(part, self.tile.steps), loop.inner_iter_args[0])])

    def _part(self, starts: list[Index], first: Index, carried: ir.Value) -> ir.Value:
        """Writes the scan of one part of the lines; returns the sum that the next part begins with."""
        scan, combine = self.tile.scan(self.view.reverse, self.combiner), self.combiner.combine
        indices = [first if dim == self.tile.axis else start for dim, start in enumerate(starts)]
        shape = [scan.before, scan.extent, scan.after]
        elements = reshape(self._read(indices), shape)
        before, total = scan.sums(elements)
        before = combine(before, broadcast(reshape(carried, [scan.before, 1, scan.after]), shape))
        self._write(before if self.view.exclusive else combine(before, elements), indices)
        return combine(carried, total)

    def _read(self, indices: list[Index]) -> ir.Value:
        element = self.x.type.element_type
        tile_type = ir.VectorType.get([self.tile.extent(dim) for dim in self.tile.dims], element)
        outside = constant(element, self.combiner.identity)
        start = list(map(as_value, indices))
        tile = vector.TransferReadOp(tile_type, self.x, start, self._map(), outside, self._inside()).result
        if element == self.element:
            return tile
        return arith.extf(ir.VectorType.get(tile_type.shape, self.element), tile)

    def _write(self, sums: ir.Value, indices: list[Index]) -> None:
        element = self.y.type.element_type
        tile = reshape(sums, [self.tile.extent(dim) for dim in self.tile.dims])
        if element != self.element:
            tile = arith.truncf(ir.VectorType.get(tile.type.shape, element), tile)
        vector.TransferWriteOp(None, tile, self.y, list(map(as_value, indices)), self._map(), self._inside())

    def _map(self) -> ir.AffineMapAttr:
        rank = len(self.x.type.shape)
        return ir.AffineMapAttr.get(affine_map(rank, [dims(rank)[dim] for dim in self.tile.dims]))

    def _inside(self) -> ir.ArrayAttr:
        """Whether all tiles are full, for each of their dims."""
        shape = self.x.type.shape
        full = [shape[dim] % self.tile.extent(dim) == 0 for dim in self.tile.dims]
        return ir.ArrayAttr.get([ir.BoolAttr.get(is_full) for is_full in full])


def lower_kernel(kernel: ir.Operation) -> bool:
    """Replaces a kernel of cumulative sums or products by a program; returns whether it is one."""
    found = [op for op in collect_ops(kernel) if op.name in SCANS]
    if not found:
        return False
    # Sums and products of integers do not depend on signedness.
    drop_signedness(kernel)
    scan = graph.Cumsum.match(found[0]) or graph.Cumprod(found[0])
    body, axis = on_memory(kernel), scan.axis
    with ir.InsertionPoint(body), kernel.location:
        x, y = body.arguments
        builder = ScanBuilder(found[0], x, y, ScanTile.of(list(x.type.shape), axis))
        builder.emit()
        func.ReturnOp([])
    erase_op(kernel)
    return True


@dataclass(frozen=True)
class FromScan(Pass):
    """Lowers each kernel of `graph.cumsum` or `graph.cumprod` to an `accel.launch`: a block for each group of
    lines along the axis, which it scans part by part, carrying their sums. Lines that are contiguous in
    memory are read together.

    A part of 2^n elements takes n steps (Sklansky, "Conditional-sum addition logic", 1960); each doubles the
    length of the runs whose sums are known. Sums are combined within a thread's registers, then across lanes,
    then across warps, in the layout in which the tile was read. Other kernels stay as they are.
    """

    name: ClassVar[str] = "accel-from-scan"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> bool:
        changed = [lower_kernel(tensor) for tensor in kernels_on_tensors(op)]
        return any(changed)
