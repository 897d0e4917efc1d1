"""NonMaxSuppression."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.tensor.compaction import first_of
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

# As many boxes as there are.
_ALL = 2**31 - 1
# Without a number of boxes none is taken; without a threshold of scores none is too low.
_DEFAULTS = (0.0, 0.0, -np.inf)


@onnx_operator("NonMaxSuppression", since=10)
def non_max_suppression(node: Node) -> Value:
    """The numbers of boxes and both thresholds are inputs, which only running may tell."""
    boxes, scores = node.input(0), node.input(1)
    limits = [node.optional(i) for i in (2, 3, 4)]
    center = bool(node.attr("center_point_box", 0))
    if all(each is None or each.is_constant for each in limits):
        most, overlap, score = (
            _number(each, default) for each, default in zip(limits, _DEFAULTS, strict=True)
        )
        lowest = {} if limits[2] is None else {"score_threshold": score}
        found = node.emit_several(
            "non_max_suppression", boxes, scores, most=min(max(int(most), 0), _ALL), iou_threshold=overlap,
            center_point_box=center, **lowest,
        )  # fmt: skip
    else:
        numbers = [_vector(node, each, default) for each, default in zip(limits, _DEFAULTS, strict=True)]
        told = node.emit("concat", *numbers, axis=0)
        found = node.emit_several(
            "non_max_suppression", boxes, scores, told, most=_most(limits[0]), center_point_box=center
        )
    return first_of(node, found[:1], found[1], 0)[0]


def _number(value: Value | None, default: float) -> float:
    return default if value is None or value.known is None else float(value.known.reshape(-1)[0])


def _most(value: Value | None) -> int:
    """A bound of the number of boxes that sizes the result."""
    known = value is not None and not value.is_constant
    return _ALL if known else min(max(int(_number(value, 0.0)), 0), _ALL)


def _vector(node: Node, value: Value | None, default: float) -> Value:
    if value is None:
        return node.constant(np.array([default]))
    return node.reshape(node.cast(value, TensorProto.DOUBLE), [1])
