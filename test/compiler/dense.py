"""A small ONNX model, its result, and the model with its weights beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def dense_model(scale: float = 1.0, bias: float = 0.5) -> onnx.ModelProto:
    """relu(x [2, 32] @ w [32, 16] + b [16]); w is larger than 1 KiB, b smaller."""
    w = (np.arange(32 * 16, dtype=np.float32).reshape(32, 16) % 7 - 3) * np.float32(scale)
    b = np.full(16, bias, np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["p"], name="product"),
        helper.make_node("Add", ["p", "b"], ["s"], name="bias"),
        helper.make_node("Relu", ["s"], ["y"], name="activation"),
    ]
    graph = helper.make_graph(
        nodes,
        "dense",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 32])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 16])],
        [numpy_helper.from_array(w, "w"), numpy_helper.from_array(b, "b")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def dense_result(x: np.ndarray, model: onnx.ModelProto) -> np.ndarray:
    w, b = (numpy_helper.to_array(tensor) for tensor in model.graph.initializer)
    return np.maximum(x @ w + b, 0)


def save_external(model: onnx.ModelProto, path: Path) -> None:
    """Writes the model with all initializers in `<path>.data`."""
    # onnx.save appends to a file that exists.
    path.with_name(path.name + ".data").unlink(missing_ok=True)
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    onnx.save(copy, path, save_as_external_data=True, location=path.name + ".data", size_threshold=0)


def pair_model(first: float, second: float) -> onnx.ModelProto:
    """Returns the model of x [32, 32] * first + second, both constants full matrices."""
    nodes = [helper.make_node("Mul", ["x", "a"], ["p"]), helper.make_node("Add", ["p", "b"], ["y"])]
    matrices = {"a": np.full((32, 32), first, np.float32), "b": np.full((32, 32), second, np.float32)}
    graph = helper.make_graph(
        nodes,
        "pair",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [32, 32])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [32, 32])],
        [numpy_helper.from_array(array, name) for name, array in matrices.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
