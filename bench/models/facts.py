"""Facts about a model for the manifest: size, operators, work, statistics of its outputs."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import shape_inference

Shapes = dict[str, list[int]]


def describe(model: onnx.ModelProto, path: Path, outputs: list[np.ndarray]) -> dict[str, Any]:
    """Returns facts about `model`, stored at `path`, with `outputs`. Sizes in MB (1e6 bytes), work in
    GFLOP."""
    graph = model.graph
    return {
        "gflop": round(flop(model) / 1e9, 4),
        "mb": round(path.stat().st_size / 1e6, 1),
        "opset": next(opset.version for opset in model.opset_import if opset.domain == ""),
        "nodes": len(graph.node),
        "operators": dict(sorted(Counter(node.op_type for node in graph.node).items())),
        "outputs": {
            value.name: _statistics(array) for value, array in zip(graph.output, outputs, strict=True)
        },
    }


def _statistics(array: np.ndarray) -> dict[str, Any]:
    values = {"min": array.min(), "max": array.max(), "std": array.std()}
    return {"shape": list(array.shape), **{key: float(f"{value:.4g}") for key, value in values.items()}}


def check_outputs(name: str, outputs: list[np.ndarray]) -> None:
    """Raises ValueError if an output is not finite, or so nearly constant that a wrong one could pass."""
    for index, output in enumerate(outputs):
        if not np.isfinite(output).all():
            raise ValueError(f"output {index} of '{name}' is not finite")
        if output.std() < 1e-3 * np.abs(output).max():
            raise ValueError(f"output {index} of '{name}' is nearly constant (deviation {output.std():.2g})")


def flop(model: onnx.ModelProto) -> int:
    """Returns two operations per multiply-add of convolutions and matrix products; others do not count."""
    graph = shape_inference.infer_shapes(model, data_prop=True).graph
    shapes: Shapes = {tensor.name: list(tensor.dims) for tensor in graph.initializer}
    for value in (*graph.value_info, *graph.input, *graph.output):
        shapes[value.name] = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
    return sum(
        2 * math.prod(shapes[node.output[0]]) * _depth(node, shapes) for node in graph.node if _counts(node)
    )


def _counts(node: onnx.NodeProto) -> bool:
    return node.op_type in ("Conv", "Gemm", "MatMul")


def _depth(node: onnx.NodeProto, shapes: Shapes) -> int:
    """Multiply-adds per element of the result: the extent of the reduction."""
    if node.op_type == "Conv":
        return math.prod(shapes[node.input[1]][1:])
    transposed = node.op_type == "Gemm" and any(a.name == "transA" and a.i for a in node.attribute)
    return shapes[node.input[0]][0 if transposed else -1]
