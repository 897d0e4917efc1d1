"""Specifications of a model's inputs."""

from __future__ import annotations

from typing import Any

import onnx
from onnx import helper


def input_specifications(model: onnx.ModelProto, vocabulary: int | None = None) -> dict[str, dict[str, Any]]:
    """Returns `{name: {"shape", "dtype", "below"}}` of the graph's inputs; integers are below
    `vocabulary`."""
    return {value.name: _specification(value.type.tensor_type, vocabulary) for value in model.graph.input}


def _specification(tensor: onnx.TypeProto.Tensor, vocabulary: int | None) -> dict[str, Any]:
    dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    shape = [dim.dim_value for dim in tensor.shape.dim]
    return {"shape": shape, "dtype": dtype.name, "below": vocabulary if dtype.kind == "i" else None}
