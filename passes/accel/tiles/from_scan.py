"""accel-from-scan: kernels of running sums and products become programs of thread blocks.

Running sums and products of a tile, in as many steps as its extent has bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import arith, func, ir, scf, vector
from mlc.dialects import graph
from mlc.passes.accel.common.memory_functions import on_memory
from mlc.passes.accel.tiles.block_order import places_of
from mlc.passes.accel.tiles.launches import launch
from mlc.passes.accel.tiles.representations import Index, as_value
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import kernels_on_tensors
from mlc.passes.common.linalg_builders import affine_map, constant, dims
from mlc.passes.common.rewriting import collect_ops, erase_op
from mlc.passes.common.signedness import drop_signedness
from mlc.passes.schedule.gpu.tiles import ELEMENTS, next_power_of_two


@dataclass(frozen=True)
class Joining:
    """How elements are joined: the kind of vector reduction, and the number that changes nothing."""

    kind: str
    number: int

    def neutral(self, shape: Sequence[int], element: ir.Type) -> ir.Value:
        """A tile of that number."""
        kind = ir.VectorType.get(list(shape), element)
        floats = isinstance(element, ir.FloatType)
        number = (ir.FloatAttr if floats else ir.IntegerAttr).get(element, self.number)
        return arith.ConstantOp(kind, ir.DenseElementsAttr.get_splat(kind, number)).result

    def join(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """Of tiles of floats or of integers."""
        suffix = "f" if isinstance(a.type.element_type, ir.FloatType) else "i"
        made: ir.Value = getattr(arith, f"{self.kind}{suffix}")(a, b)
        return made

    def total(self, tile: ir.Value, dim: int) -> ir.Value:
        """All elements along a dim."""
        shape = [each for place, each in enumerate(tile.type.shape) if place != dim]
        kind = ir.Attribute.parse(f"#vector.kind<{self.kind}>")
        start = self.neutral(shape, tile.type.element_type)
        return vector.MultiDimReductionOp(kind, tile, start, ir.DenseI64ArrayAttr.get([dim])).result


SUMS, PRODUCTS = Joining("add", 0), Joining("mul", 1)


def reshaped(tile: ir.Value, shape: Sequence[int]) -> ir.Value:
    """The same elements, in the same order."""
    return vector.ShapeCastOp(ir.VectorType.get(list(shape), tile.type.element_type), tile).result


def broadcast(tile: ir.Value, shape: Sequence[int]) -> ir.Value:
    """A tile of the same rank along its dims of 1."""
    return vector.BroadcastOp(ir.VectorType.get(list(shape), tile.type.element_type), tile).result


@dataclass(frozen=True)
class Scan:
    """Of a tile `[before, extent, after]` along its second dim, whose extent is a power of two: from the
    first element on, or, in `reverse`, from the last."""

    before: int
    extent: int
    after: int
    reverse: bool
    joining: Joining

    def sums(self, tile: ir.Value) -> tuple[ir.Value, ir.Value]:
        """For each element the sum of those that come before it, and the sum of all, `[before, after]`.

        Step k knows the sums of all runs of 2^k elements. Of two runs side by side, the second one's elements
        have the first one's sum before them. Where elements are multiplied, sums are products.
        """
        shape = [self.before, self.extent, self.after]
        totals, before = tile, self.joining.neutral(shape, tile.type.element_type)
        run = 1
        while run < self.extent:
            pairs = reshaped(totals, [self.before, self.extent // run // 2, 2, self.after])
            earlier = self.joining.total(self._of_pairs(pairs, 1 if self.reverse else 0), 2)
            before = self.joining.join(before, self._spread(earlier, run))
            totals = self.joining.total(pairs, 2)
            run *= 2
        return before, reshaped(totals, [self.before, self.after])

    def _spread(self, earlier: ir.Value, run: int) -> ir.Value:
        """The sums of the earlier runs of pairs, at each element of the later ones; neutral elsewhere."""
        count = self.extent // run // 2
        places = [self.before, count, 2, run, self.after]
        wide = broadcast(reshaped(earlier, [self.before, count, 1, 1, self.after]), places)
        later = self._of_pairs(wide, 0 if self.reverse else 1)
        return reshaped(later, [self.before, self.extent, self.after])

    def _of_pairs(self, tile: ir.Value, kept: int) -> ir.Value:
        """What has place `kept` of its pair, along the third dim; the neutral number in others' places."""
        shape = list(tile.type.shape)
        pair = vector.StepOp(ir.VectorType.get([2], ir.IndexType.get())).result
        place = ir.IntegerAttr.get(ir.IndexType.get(), kept)
        wanted = arith.ConstantOp(pair.type, ir.DenseElementsAttr.get_splat(pair.type, place)).result
        here = arith.cmpi(arith.CmpIPredicate.eq, pair, wanted)
        mask = broadcast(reshaped(here, [2 if dim == 2 else 1 for dim in range(len(shape))]), shape)
        return arith.select(mask, tile, self.joining.neutral(shape, tile.type.element_type))


SCANS: dict[str, Joining] = {graph.Cumsum.NAME: SUMS, graph.Cumprod.NAME: PRODUCTS}
# Lines side by side in memory, whose elements neighbouring threads read.
LINES = 128


@dataclass(frozen=True)
class ScanTile:
    """What a block takes in at a time: `lines` along the dim `across` of the memory, None where there is no
    other dim than `axis`, and `steps` elements of each."""

    axis: int
    across: int | None
    lines: int
    steps: int

    @classmethod
    def of(cls, shape: list[int], axis: int) -> ScanTile:
        """Long along the innermost dim, that neighbours in memory are read together."""
        rank = len(shape)
        if rank == 1:
            return cls(axis, None, 1, min(next_power_of_two(shape[axis]), ELEMENTS))
        if axis < rank - 1:
            lines = min(next_power_of_two(shape[-1]), LINES)
            return cls(axis, rank - 1, lines, min(next_power_of_two(shape[axis]), max(1, ELEMENTS // lines)))
        steps = min(next_power_of_two(shape[axis]), ELEMENTS)
        return cls(axis, rank - 2, min(next_power_of_two(shape[rank - 2]), ELEMENTS // steps), steps)

    @property
    def places(self) -> list[int]:
        """The dims of the memory that the tile has, outermost first."""
        return sorted(dim for dim in (self.across, self.axis) if dim is not None)

    def extent(self, dim: int) -> int:
        """Elements along a dim of the memory."""
        return self.steps if dim == self.axis else self.lines if dim == self.across else 1

    def scan(self, reverse: bool, joining: Joining) -> Scan:
        """Of such a tile."""
        inner = self.across is not None and self.across > self.axis
        return Scan(1 if inner else self.lines, self.steps, self.lines if inner else 1, reverse, joining)


@dataclass(frozen=True)
class ScanBuilder:
    """The program of a kernel that reads memory `x` and writes `y`."""

    op: ir.Operation
    x: ir.Value
    y: ir.Value
    tile: ScanTile

    @property
    def reverse(self) -> bool:
        return bool(self.op.attributes["reverse"].value)

    @property
    def joining(self) -> Joining:
        return SCANS[self.op.name]

    @property
    def element(self) -> ir.Type:
        """Sums and products of floats of 16 bits are f32."""
        own = self.x.type.element_type
        return ir.F32Type.get() if isinstance(own, ir.F16Type | ir.BF16Type) else own

    def emit(self) -> None:
        """A block for some lines, which takes in a part of each after the other."""
        shape, tile = list(self.x.type.shape), self.tile
        counts = [1 if dim == tile.axis else -(-size // tile.extent(dim)) for dim, size in enumerate(shape)]
        body = launch([prod(counts)])
        with ir.InsertionPoint(body):
            numbers = places_of(body.arguments[0], counts)
            starts = [_times(number, tile.extent(dim)) for dim, number in enumerate(numbers)]
            self._parts(starts, -(-shape[tile.axis] // tile.steps))

    def _parts(self, starts: list[Index], count: int) -> None:
        scan = self.tile.scan(self.reverse, self.joining)
        carried = self.joining.neutral([scan.before, scan.after], self.element)
        if count == 1:
            self._part(starts, 0, carried)
            return
        low, high, step = map(as_value, (0, count, 1))
        loop = scf.ForOp(low, high, step, [carried])
        with ir.InsertionPoint(loop.body):
            number = loop.induction_variable
            if self.reverse:
                number = arith.subi(as_value(count - 1), number)
            scf.YieldOp([self._part(starts, _times(number, self.tile.steps), loop.inner_iter_args[0])])

    def _part(self, starts: list[Index], first: Index, carried: ir.Value) -> ir.Value:
        """Writes what one part of the lines sums to; what the next part adds to its own."""
        scan, join = self.tile.scan(self.reverse, self.joining), self.joining.join
        indices = [first if dim == self.tile.axis else start for dim, start in enumerate(starts)]
        shape = [scan.before, scan.extent, scan.after]
        numbers = reshaped(self._read(indices), shape)
        before, total = scan.sums(numbers)
        before = join(before, broadcast(reshaped(carried, [scan.before, 1, scan.after]), shape))
        exclusive = bool(self.op.attributes["exclusive"].value)
        self._write(before if exclusive else join(before, numbers), indices)
        return join(carried, total)

    def _read(self, indices: list[Index]) -> ir.Value:
        own = self.x.type.element_type
        kind = ir.VectorType.get([self.tile.extent(dim) for dim in self.tile.places], own)
        outside = constant(own, self.joining.number)
        places = list(map(as_value, indices))
        tile = vector.TransferReadOp(kind, self.x, places, self._map(), outside, self._inside()).result
        if own == self.element:
            return tile
        return arith.extf(ir.VectorType.get(kind.shape, self.element), tile)

    def _write(self, sums: ir.Value, indices: list[Index]) -> None:
        own = self.y.type.element_type
        tile = reshaped(sums, [self.tile.extent(dim) for dim in self.tile.places])
        if own != self.element:
            tile = arith.truncf(ir.VectorType.get(tile.type.shape, own), tile)
        vector.TransferWriteOp(None, tile, self.y, list(map(as_value, indices)), self._map(), self._inside())

    def _map(self) -> ir.AffineMapAttr:
        rank = len(self.x.type.shape)
        return ir.AffineMapAttr.get(affine_map(rank, [dims(rank)[dim] for dim in self.tile.places]))

    def _inside(self) -> ir.ArrayAttr:
        """Along which dims all tiles are whole."""
        shape = self.x.type.shape
        whole = [shape[dim] % self.tile.extent(dim) == 0 for dim in self.tile.places]
        return ir.ArrayAttr.get([ir.BoolAttr.get(each) for each in whole])


def _times(number: Index, factor: int) -> Index:
    if isinstance(number, int) or factor == 1:
        return number * factor if isinstance(number, int) else number
    return arith.muli(number, as_value(factor))


def lower_kernel(kernel: ir.Operation) -> bool:
    """Puts a program in place of a kernel of running sums or products; other kernels stay."""
    found = [op for op in collect_ops(kernel) if op.name in SCANS]
    if not found:
        return False
    # Whether integers have a sign is the same to sums and products.
    drop_signedness(kernel)
    body = on_memory(kernel)
    with ir.InsertionPoint(body), kernel.location:
        x, y = body.arguments
        tile = ScanTile.of(list(x.type.shape), found[0].attributes["axis"].value)
        ScanBuilder(found[0], x, y, tile).emit()
        func.ReturnOp([])
    erase_op(kernel)
    return True


@dataclass(frozen=True)
class FromScan(Pass):
    """Make an `accel.launch` of each kernel of `graph.cumsum` or `graph.cumprod`: a block for some lines
    along the axis, which it takes in part by part, and carries their sums. Lines that lie side by side in
    memory are read side by side.

    Of a part of 2^n elements n steps make the running sums (Sklansky, "Conditional-sum addition logic",
    1960): each doubles the runs whose sums are known. A thread's registers, then lanes, then warps add what
    they have, in the layout in which the tile was read. Other kernels stay as they are.
    """

    name: ClassVar[str] = "accel-from-scan"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> bool:
        changed = [lower_kernel(tensor) for tensor in kernels_on_tensors(op)]
        return any(changed)
