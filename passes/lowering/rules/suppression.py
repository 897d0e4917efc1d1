"""Non-maximum suppression: boxes in the order of their scores, each compared with those selected before."""

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
from mlc.passes.lowering.rules.compaction import integer, next_index, row, zero_tail


@dataclass(frozen=True)
class Boxes:
    """The boxes `[N, B, 4]`, of corners (in any order) or of centers and sizes."""

    values: ir.Value
    center: bool

    def sides(self, image: ir.Value, box: ir.Value) -> list[tuple[ir.Value, ir.Value]]:
        """Returns the low and the high coordinate along both dims."""
        corners = [tensor.extract(self.values, [image, box, index_value(at)]) for at in range(4)]
        pairs = [(corners[at], corners[at + 2]) for at in range(2)]
        if not self.center:
            return [(minimum(*pair), maximum(*pair)) for pair in pairs]
        half = constant(corners[0].type, 0.5)
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
    """Lowers `graph.non_max_suppression` to loops over images and classes."""
    non_max_suppression = graph.NonMaxSuppression(op)
    images, classes, _ = static_shape(non_max_suppression.scores)
    shape = static_shape(non_max_suppression.indices)
    output = empty(shape, i64())

    def body(at: Indices, carried: Carried) -> Carried:
        return _select_boxes(non_max_suppression, at[0], at[1], carried)

    indices, total = nest({0: images, 1: classes}, [output, index_value(0)], body)
    return zero_tail(indices, shape, total, 0)


def _sort_scores(scores: ir.Value, image: ir.Value, class_: ir.Value) -> Carried:
    """Sorts the scores of a class from the highest on; returns them and their boxes."""
    count, element = static_shape(scores)[2], tensor_type(scores).element_type
    heap = Heap(0, 1, count, largest=True)
    parts = [empty([count], element), empty([count], i64())]

    def item(at: ir.Value, items: Carried) -> Carried:
        return heap.write(items, at, [tensor.extract(scores, [image, class_, at]), integer(at)])

    return heap.sort(heap.heapify(loop(count, parts, item)))


def _limits(suppression: graph.NonMaxSuppression) -> tuple[ir.Value, ir.Value, ir.Value | None]:
    """Returns the largest number of boxes, the threshold of overlaps, and that of scores, if there is one."""
    scores = suppression.scores
    element, most = tensor_type(scores).element_type, minimum_size(suppression.most, static_shape(scores)[2])
    if suppression.limits is not None:
        limits = [tensor.extract(suppression.limits, [index_value(position)]) for position in range(3)]
        largest = constant(limits[0].type, 2**31 - 1)
        some = maximum(constant(largest.type, 0), minimum(limits[0], largest))
        whole = arith.index_cast(ir.IndexType.get(), arith.fptosi(i64(), some))
        thresholds = [convert(limit, element) for limit in limits[1:]]
        return arith.minsi(whole, index_value(most)), thresholds[0], thresholds[1]
    lowest = suppression.score_threshold
    overlap = constant(element, suppression.iou_threshold)
    return index_value(most), overlap, None if lowest is None else constant(element, lowest)


def _select_boxes(
    suppression: graph.NonMaxSuppression, image: ir.Value, class_: ir.Value, carried: Carried
) -> Carried:
    """Appends the rows of one image and class."""
    boxes, scores = Boxes(suppression.boxes, suppression.center_point_box), suppression.scores
    most, limit, lowest = _limits(suppression)
    values, ids = _sort_scores(scores, image, class_)
    first = carried[1]

    def step(at: ir.Value, parts: Carried) -> Carried:
        rows, count = parts
        box = arith.index_cast(ir.IndexType.get(), tensor.extract(ids, [at]))
        free = arith.cmpi(arith.CmpIPredicate.slt, arith.subi(count, first), most)
        if lowest is not None:
            free = arith.andi(free, compare("greater", tensor.extract(values, [at]), lowest))

        def compare_with(index: ir.Value, kept: Carried) -> Carried:
            other = tensor.extract(rows, [index, index_value(2)])
            overlap = boxes.overlap(image, box, arith.index_cast(ir.IndexType.get(), other))
            return [arith.andi(kept[0], compare("less_equal", overlap, limit))]

        def consider() -> Carried:
            (kept,) = loop(count, [constant(i1(), 1)], compare_with, first)
            return conditional(
                kept, parts, lambda: [row(rows, count, [image, class_, box]), next_index(count)]
            )

        return conditional(free, parts, consider)

    return loop(static_shape(scores)[2], carried, step)
