"""ONNX models with control flow: bodies, and what is around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper, parser

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def info(name: str, shape: Sequence[int] | None, onnx_type: int = F32) -> ValueInfoProto:
    """A value of a graph; the shape may be left out."""
    return helper.make_tensor_value_info(name, onnx_type, shape)


def body(text: str) -> GraphProto:
    """A graph in ONNX's text syntax."""
    return parser.parse_graph(text)


def model(
    nodes: Sequence[NodeProto],
    inputs: Sequence[ValueInfoProto],
    outputs: Sequence[ValueInfoProto],
    constants: dict[str, np.ndarray] | None = None,
    opset: int = 21,
) -> onnx.ModelProto:
    tensors = [numpy_helper.from_array(array, name) for name, array in (constants or {}).items()]
    graph = helper.make_graph(list(nodes), "control", list(inputs), list(outputs), tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def recurrent(
    op_type: str,
    arrays: dict[str, np.ndarray | None],
    given: Sequence[str],
    opset: int = 22,
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one recurrent node. `arrays` are its inputs by name, in order (None: left out); those in
    `given` are inputs of the model, the others constants. It has all outputs."""
    names = [name if array is not None else "" for name, array in arrays.items()]
    outputs = ["Y", "Y_h", "Y_c"][: 3 if op_type == "LSTM" else 2]
    node = helper.make_node(op_type, names, outputs, name=op_type, **attributes)
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in arrays.items()
        if array is not None and name in given
    ]
    constants = {n: array for n, array in arrays.items() if array is not None and n not in given}
    onnx_type = helper.np_dtype_to_tensor_dtype(arrays["X"].dtype)  # type: ignore[union-attr]
    return model([node], inputs, [info(name, None, onnx_type) for name in outputs], constants, opset)


def recurrent_arrays(
    op_type: str,
    *,
    time: int = 5,
    batch: int = 1,
    size: int = 3,
    hidden: int = 4,
    directions: int = 1,
    batch_first: bool = False,
    bias: bool = True,
    states: bool = True,
    lengths: Sequence[int] | None = None,
    peepholes: bool = False,
    dtype: Any = np.float32,
) -> dict[str, np.ndarray | None]:
    """Inputs of a recurrent node, by name and in order; None for those left out."""
    rng = np.random.default_rng(7)
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[op_type]

    def random(*shape: int) -> np.ndarray:
        return rng.uniform(-1, 1, shape).astype(dtype)

    def state() -> np.ndarray | None:
        shape = (batch, directions, hidden) if batch_first else (directions, batch, hidden)
        return random(*shape) if states else None

    arrays: dict[str, np.ndarray | None] = {
        "X": random(*((batch, time, size) if batch_first else (time, batch, size))),
        "W": random(directions, gates * hidden, size),
        "R": random(directions, gates * hidden, hidden),
        "B": random(directions, 2 * gates * hidden) if bias else None,
        "lengths": None if lengths is None else np.asarray(lengths, np.int32),
        "first_h": state(),
    }
    if op_type == "LSTM":
        arrays["first_c"] = state()
        arrays["P"] = random(directions, 3 * hidden) if peepholes else None
    return arrays
