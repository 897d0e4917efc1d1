"""Non-maximum suppression: boxes in the order of their scores, each compared with those taken before."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import arith, ir, tensor
from mlc.dialects import graph
from mlc.dialects.graph.sizes import minimum as minimum_size
from mlc.passes.common.constants import i1, i64
from mlc.passes.common.linalg_builders import constant, empty, index_value, static_shape, tensor_type
from mlc.passes.common.loop_builders import Carried, Indices, conditional, loop, nest
from mlc.passes.lowering.common.conversions import convert
from mlc.passes.lowering.common.heap import Heap
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import compare, div, maximum, minimum, mul, sub
from mlc.passes.lowering.rules.compaction import finished, integer, next_index, row


@dataclass(frozen=True)
class Boxes:
    """The boxes `[N, B, 4]`, of corners (in any order) or of centers and sizes."""

    values: ir.Value
    center: bool

    def sides(self, image: ir.Value, box: ir.Value) -> list[tuple[ir.Value, ir.Value]]:
        """Low and high along both dims."""
        numbers = [tensor.extract(self.values, [image, box, index_value(at)]) for at in range(4)]
        pairs = [(numbers[at], numbers[at + 2]) for at in range(2)]
        if not self.center:
            return [(minimum(*pair), maximum(*pair)) for pair in pairs]
        half = constant(numbers[0].type, 0.5)
        return [(sub(middle, mul(size, half)), arith.addf(middle, mul(size, half))) for middle, size in pairs]

    def overlap(self, image: ir.Value, one: ir.Value, other: ir.Value) -> ir.Value:
        """The area of the intersection over that of the union; 0 where a box has no area."""
        first, second = self.sides(image, one), self.sides(image, other)
        zero = constant(tensor_type(self.values).element_type, 0)
        lengths = [
            maximum(zero, sub(minimum(a[1], b[1]), maximum(a[0], b[0])))
            for a, b in zip(first, second, strict=True)
        ]
        common = mul(*lengths)
        areas = [mul(*(sub(high, low) for low, high in sides)) for sides in (first, second)]
        union = sub(arith.addf(*areas), common)
        empty_union = compare("less_equal", union, zero)
        return arith.select(
            empty_union, zero, div(common, arith.select(empty_union, constant(zero.type, 1), union))
        )


@rule("non_max_suppression")
def lower_non_max_suppression(op: ir.Operation) -> list[ir.Value]:
    non_max_suppression = graph.NonMaxSuppression(op)
    images, classes, _ = static_shape(non_max_suppression.scores)
    shape = static_shape(non_max_suppression.indices)
    output = empty(shape, i64())

    def each(places: Indices, carried: Carried) -> Carried:
        return _selected(op, places[0], places[1], carried)

    indices, total = nest({0: images, 1: classes}, [output, index_value(0)], each)
    return finished(indices, shape, total, 0)


def _ordered(scores: ir.Value, image: ir.Value, kind: ir.Value) -> Carried:
    """The scores of a class from the highest on, and their boxes."""
    count, element = static_shape(scores)[2], tensor_type(scores).element_type
    heap = Heap(0, 1, count, largest=True)
    parts = [empty([count], element), empty([count], i64())]

    def item(at: ir.Value, each: Carried) -> Carried:
        return heap.write(each, at, [tensor.extract(scores, [image, kind, at]), integer(at)])

    return heap.ordered(heap.built(loop(count, parts, item)))


def _limits(op: ir.Operation) -> tuple[ir.Value, ir.Value, ir.Value | None]:
    """How many boxes at most, the threshold of overlaps, and that of scores where there is one."""
    scores, count = op.operands[1], static_shape(op.operands[1])[2]
    element, most = tensor_type(scores).element_type, minimum_size(op.attributes["most"].value, count)
    if len(op.operands) == 3:
        numbers = [tensor.extract(op.operands[2], [index_value(place)]) for place in range(3)]
        largest = constant(numbers[0].type, 2**31 - 1)
        some = maximum(constant(largest.type, 0), minimum(numbers[0], largest))
        whole = arith.index_cast(ir.IndexType.get(), arith.fptosi(i64(), some))
        thresholds = [convert(number, element) for number in numbers[1:]]
        return arith.minsi(whole, index_value(most)), thresholds[0], thresholds[1]
    lowest = op.attributes["score_threshold"].value if "score_threshold" in op.attributes else None
    overlap = constant(element, op.attributes["iou_threshold"].value)
    return index_value(most), overlap, None if lowest is None else constant(element, lowest)


def _selected(op: ir.Operation, image: ir.Value, kind: ir.Value, carried: Carried) -> Carried:
    """Appends the rows of one image and class."""
    boxes, scores = Boxes(op.operands[0], bool(op.attributes["center_point_box"].value)), op.operands[1]
    most, limit, lowest = _limits(op)
    values, numbers = _ordered(scores, image, kind)
    first = carried[1]

    def step(at: ir.Value, parts: Carried) -> Carried:
        rows, count = parts
        box = arith.index_cast(ir.IndexType.get(), tensor.extract(numbers, [at]))
        free = arith.cmpi(arith.CmpIPredicate.slt, arith.subi(count, first), most)
        if lowest is not None:
            free = arith.andi(free, compare("greater", tensor.extract(values, [at]), lowest))

        def compared(place: ir.Value, kept: Carried) -> Carried:
            other = tensor.extract(rows, [place, index_value(2)])
            overlap = boxes.overlap(image, box, arith.index_cast(ir.IndexType.get(), other))
            return [arith.andi(kept[0], compare("less_equal", overlap, limit))]

        def considered() -> Carried:
            (kept,) = loop(count, [constant(i1(), 1)], compared, first)
            return conditional(kept, parts, lambda: [row(rows, count, [image, kind, box]), next_index(count)])

        return conditional(free, parts, considered)

    return loop(static_shape(scores)[2], carried, step)
