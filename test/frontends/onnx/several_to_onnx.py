"""Graph ops of several results as ONNX operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from onnx import TensorProto

from mlc.bindings import ir
from mlc.dialects.graph import attribute
from mlc.dialects.graph.ops.ordering import ALL

if TYPE_CHECKING:
    from to_onnx import Writer


def _top_k(w: Writer, op: ir.Operation, inputs: list[str]) -> list[str]:
    flags = {a: attribute(op, a) for a in ("axis", "largest", "sorted")}
    axis, k = attribute(op, "axis"), attribute(op, "k")
    count = w.node("Shape", inputs, start=axis, end=axis + 1) if k == ALL else w.constant([k])
    return w.several("TopK", [*inputs, count], 2, **flags)


# ONNX gives as many results as there are, without the zeros that fill the graph ops' results.


def _length(w: Writer, value: str, axis: int) -> str:
    return w.node("Squeeze", [w.node("Shape", [value], start=axis, end=axis + 1)])


def _compress(w: Writer, op: ir.Operation, inputs: list[str]) -> list[str]:
    values = w.node("Compress", inputs, axis=attribute(op, "axis"))
    return [values, _length(w, values, attribute(op, "axis"))]


def _non_zero(w: Writer, _: ir.Operation, inputs: list[str]) -> list[str]:
    indices = w.node("NonZero", inputs)
    return [indices, _length(w, indices, 1)]


def _unique(w: Writer, op: ir.Operation, inputs: list[str]) -> list[str]:
    found = w.several("Unique", inputs, 4, sorted=attribute(op, "sorted"))
    return [*found, _length(w, found[0], 0)]


def _non_max_suppression(w: Writer, op: ir.Operation, inputs: list[str]) -> list[str]:
    if len(inputs) == 3:
        parts = w.several("Split", [inputs.pop()], 3, axis=0, num_outputs=3)
        onnx_types = (TensorProto.INT64, TensorProto.FLOAT, TensorProto.FLOAT)
        limits = [
            w.node("Cast", [part], to=onnx_type) for part, onnx_type in zip(parts, onnx_types, strict=True)
        ]
    else:
        thresholds = [attribute(op, name) for name in ("iou_threshold", "score_threshold")]
        threshold_inputs = [
            "" if threshold is None else w.constant([threshold], np.float32) for threshold in thresholds
        ]
        limits = [w.constant([attribute(op, "most")]), *threshold_inputs]
    center = int(attribute(op, "center_point_box"))
    chosen = w.node("NonMaxSuppression", [*inputs, *limits], center_point_box=center)
    return [chosen, _length(w, chosen, 0)]


SEVERAL: dict[str, Callable[[Writer, ir.Operation, list[str]], list[str]]] = {
    "top_k": _top_k,
    "compress": _compress,
    "non_zero": _non_zero,
    "unique": _unique,
    "non_max_suppression": _non_max_suppression,
}
