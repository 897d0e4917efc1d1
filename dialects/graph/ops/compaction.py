"""Ops whose number of results depends on the data."""

from __future__ import annotations

from typing import Any

from mlc.dialects.graph.elements import BOOL, FLOAT, NUMERIC, ORDERED, ElementClass
from mlc.dialects.graph.shape_rules import check_axis, check_rank, merge, product
from mlc.dialects.graph.sizes import falls_below, minimum
from mlc.dialects.graph.spec import (
    Attribute,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    ShapeError,
    ShapeFunction,
    define,
    define_family,
)

FAMILY = define_family(
    "compaction",
    "The number of results depends on the data. Result tensors have the largest possible size: the results, "
    "then zeros; `count` (i64, rank 0) is the number of results.",
)

_COUNT = GraphTensor((), "i64")


def compaction(
    name: str,
    summary: str,
    shapes: str,
    onnx: str,
    infer: ShapeFunction,
    operands: tuple[OperandSpec, ...],
    results: tuple[str, ...],
    attributes: tuple[Attribute, ...] = (),
) -> None:
    """Defines an op whose results have the largest possible size, and `count`."""
    named = (*results, "count")
    define(OpSpec(name, FAMILY, summary, shapes, (onnx,), operands, infer, attributes, results=named))


def _compress(call: OpCall) -> tuple[GraphTensor, ...]:
    check_axis("axis", call.axis, call.x.rank)
    check_rank("condition", call.condition, 1)
    (flags,), dim = call.condition.shape, call.x.shape[call.axis]
    if flags is not None and dim is not None and falls_below(dim, flags):
        raise ShapeError(
            "condition", f"is longer than dim {call.axis} of x: {call.condition} against {call.x}"
        )
    shape = tuple(flags if axis == call.axis else size for axis, size in enumerate(call.x.shape))
    return GraphTensor(shape, call.x.element), _COUNT


def _non_zero(call: OpCall) -> tuple[GraphTensor, ...]:
    return GraphTensor((call.x.rank, product(call.x.shape)), "i64"), _COUNT


def _unique(call: OpCall) -> tuple[GraphTensor, ...]:
    check_rank("x", call.x, 1)
    indices = GraphTensor(call.x.shape, "i64")
    return call.x, indices, indices, indices, _COUNT


def _non_max_suppression(call: OpCall) -> tuple[GraphTensor, ...]:
    check_rank("boxes", call.boxes, 3)
    check_rank("scores", call.scores, 3)
    batch = merge(
        "scores", call.boxes.shape[0], call.scores.shape[0], "batches of boxes and of scores differ"
    )
    boxes = merge(
        "scores", call.boxes.shape[1], call.scores.shape[2], "numbers of boxes and of scores differ"
    )
    merge("boxes", call.boxes.shape[2], 4, "the last dim is not 4")
    if call.most < 0:
        raise ShapeError("most", f"{call.most} is negative")
    if call.limits is not None:
        check_rank("limits", call.limits, 1)
        merge("limits", call.limits.shape[0], 3, "the dim is not 3")
    most: Any = None if boxes is None else minimum(call.most, boxes)
    return GraphTensor((product((batch, call.scores.shape[1], most)), 3), "i64"), _COUNT


compaction(
    "compress",
    "the slices of x along an axis at which the condition holds",
    "condition `[n]`, n at most the dim at the axis; values have n there.",
    "Compress",
    _compress,
    (OperandSpec("x"), OperandSpec("condition", BOOL)),
    ("values",),
    (Attribute("axis", "int", "the axis, in [0, rank)"),),
)
compaction(
    "non_zero",
    "the coordinates of the elements that are not zero, in row-major order",
    "indices are i64, `[rank of x, number of elements of x]`: coordinates in each column.",
    "NonZero",
    _non_zero,
    (OperandSpec("x", ORDERED),),
    ("indices",),
)
compaction(
    "unique",
    "the distinct elements of a vector; NaN equals NaN",
    "values have x's type; of i64 and x's shape are indices, the first position of each value, inverse, the "
    "index in values of each element of x (all valid), and counts, the occurrences of each value.",
    "Unique",
    _unique,
    (OperandSpec("x", NUMERIC),),
    ("values", "indices", "inverse", "counts"),
    (Attribute("sorted", "bool", "the smallest value first, not that of the first element", True),),
)
compaction(
    "non_max_suppression",
    "per image and class the boxes of the highest scores, without those that overlap one of them too much",
    "boxes `[N, B, 4]` and scores `[N, C, B]` give i64 indices `[N * C * min(most, B), 3]` of image, class "
    "and box; of equal scores the first box comes first. The operand limits `[3]` holds the run-time number "
    "of boxes per image and class, `most` at most, and the thresholds of overlaps and of scores, which "
    "replace the attributes.",
    "NonMaxSuppression",
    _non_max_suppression,
    (
        OperandSpec("boxes", FLOAT),
        OperandSpec("scores", FLOAT, like="boxes"),
        OperandSpec("limits", ElementClass("f64", frozenset({"f64"})), variadicity="optional"),
    ),
    ("indices",),
    (
        Attribute("most", "int", "boxes for each image and class, at most"),
        Attribute("iou_threshold", "float", "intersection over union above which a box is left out", 0.0),
        Attribute("score_threshold", "float", "scores at or below it are left out", None),
        Attribute("center_point_box", "bool", "boxes are center and size, not two corners", False),
    ),
)
