"""Running sums and products of a tile, in as many steps as its extent has bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, vector


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
