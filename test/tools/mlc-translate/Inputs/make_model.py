"""Writes one of the models that the tests here import: make_model.py <name> <path>."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx.helper import make_node as node

F32 = TensorProto.FLOAT


def _weight(name: str, *shape: int) -> TensorProto:
    return numpy_helper.from_array(np.random.default_rng(0).standard_normal(shape).astype(np.float32), name)


def _model(nodes: list, inputs: list, output: str, initializers: list, opset: int = 17) -> ModelProto:
    outputs = [helper.make_tensor_value_info(output, F32, None)]
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def _input(name: str, *shape: int | str) -> object:
    return helper.make_tensor_value_info(name, F32, list(shape))


def block() -> ModelProto:
    """A ResNet-like block: convolution with bias, batch normalisation, skip connection, relu."""
    nodes = [
        node("Conv", ["x", "w", "b"], ["c"], name="conv1", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c", "s", "s", "s", "s"], ["n"], name="bn1"),
        node("Add", ["n", "x"], ["a"], name="skip"),
        node("Relu", ["a"], ["y"]),
    ]
    constants = [_weight("w", 16, 16, 3, 3), _weight("b", 16), _weight("s", 16)]
    return _model(nodes, [_input("x", 1, 16, 8, 8)], "y", constants)


def dense() -> ModelProto:
    """Returns x [batch, 32] times a transposed weight; the same weight twice, once as varied encoding."""
    weight = _weight("w", 32, 32)
    varied = helper.make_tensor("v", F32, [32, 32], numpy_helper.to_array(weight).ravel().tolist())
    nodes = [
        node("Gemm", ["x", "w"], ["h"], name="first", transB=1),
        node("Gemm", ["h", "v"], ["y"], name="second", alpha=0.5),
    ]
    return _model(nodes, [_input("x", "batch", 32)], "y", [weight, varied])


def varint_weight() -> ModelProto:
    """A weight of i64 as varints, which no range of bytes in the file can be."""
    indices = helper.make_tensor("i", TensorProto.INT64, [200], [k % 4 for k in range(200)])
    return _model([node("Gather", ["x", "i"], ["y"], name="pick")], [_input("x", 4, 2)], "y", [indices])


def unsupported_operators() -> ModelProto:
    """Two unknown operators, one of them in two nodes, and one that is known but not supported."""
    nodes = [
        node("Fourier", ["x"], ["a"], name="f1", domain="com.acme"),
        node("Relu", ["a"], ["b"], name="fine"),
        node("Fourier", ["b"], ["c"], name="f2", domain="com.acme"),
        node("ImageDecoder", ["c"], ["d"]),
        node("Wavelet", ["x"], ["e"], name="w"),
        node("Add", ["d", "e"], ["y"], name="sum"),
    ]
    return _model(nodes, [_input("x", 2, 2)], "y", [])


def escape() -> ModelProto:
    """External data outside of the model's folder."""
    tensor = TensorProto(name="w", data_type=F32, dims=[32, 32], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="../../etc/passwd")
    return _model([node("MatMul", ["x", "w"], ["y"], name="fc")], [_input("x", 1, 32)], "y", [tensor])


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(globals()[sys.argv[1]]().SerializeToString())
