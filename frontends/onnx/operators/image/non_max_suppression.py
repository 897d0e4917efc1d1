"""NonMaxSuppression."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.tensor.compaction import first_of
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

# The limit that keeps all boxes.
_ALL = 2**31 - 1
# By default no box is selected, and no score is below the threshold.
_DEFAULTS = (0.0, 0.0, -np.inf)


@onnx_operator("NonMaxSuppression", since=10)
def non_max_suppression(node: Node) -> Value:
    """Imports NonMaxSuppression. The number of boxes and both thresholds are inputs, which may be dynamic."""
    boxes, scores = node.input(0), node.input(1)
    limits = [node.optional(i) for i in (2, 3, 4)]
    center = bool(node.attr("center_point_box", 0))
    if all(limit is None or limit.is_constant for limit in limits):
        most, overlap, score = (
            _scalar(limit, default) for limit, default in zip(limits, _DEFAULTS, strict=True)
        )
        lowest = {} if limits[2] is None else {"score_threshold": score}
        found = node.emit_several(
            "non_max_suppression", boxes, scores, most=min(max(int(most), 0), _ALL), iou_threshold=overlap,
            center_point_box=center, **lowest,
        )  # fmt: skip
    else:
        vectors = [_vector(node, limit, default) for limit, default in zip(limits, _DEFAULTS, strict=True)]
        limits_vector = node.emit("concat", *vectors, axis=0)
        found = node.emit_several(
            "non_max_suppression",
            boxes,
            scores,
            limits_vector,
            most=_most(limits[0]),
            center_point_box=center,
        )
    return first_of(node, found[:1], found[1], 0)[0]


def _scalar(value: Value | None, default: float) -> float:
    return default if value is None or value.known is None else float(value.known.reshape(-1)[0])


def _most(value: Value | None) -> int:
    """Returns a bound of the number of boxes, which sizes the result."""
    known = value is not None and not value.is_constant
    return _ALL if known else min(max(int(_scalar(value, 0.0)), 0), _ALL)


def _vector(node: Node, value: Value | None, default: float) -> Value:
    if value is None:
        return node.constant(np.array([default]))
    return node.reshape(node.cast(value, TensorProto.DOUBLE), [1])
