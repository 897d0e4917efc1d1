"""A transformer's layer and a convolutional network: small, with the operators of the models of the set."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).parents[3]))

from bench.models.network import NetworkBuilder

LENGTH, WIDTH, HEADS, HIDDEN = 128, 256, 4, 1024
_INITIAL = np.random.default_rng(0)


def transformer() -> onnx.ModelProto:
    """Tokens, masked attention of four heads of 64, and a perceptron with GELU, each with a residual and a
    normalisation, as exporters write BERT: tokens i64 [1, 128], mask [1, 1, 1, 128] -> y [1, 128, 256]."""
    shapes = {f"w{name}": (WIDTH, WIDTH) for name in "qkvo"} | {f"b{name}": (WIDTH,) for name in "qkvo"}
    shapes |= {"table": (1000, WIDTH), "w1": (WIDTH, HIDDEN), "b1": (HIDDEN,), "w2": (HIDDEN, WIDTH)}
    shapes |= dict.fromkeys(("b2", "scale1", "scale2", "shift1", "shift2"), (WIDTH,))
    weights = {name: _draw_weights(shape) for name, shape in shapes.items()}
    weights |= {"apart": np.asarray([1, LENGTH, HEADS, WIDTH // HEADS])}
    weights |= {"together": np.asarray([1, LENGTH, WIDTH])}
    weights |= {"root": np.asarray(math.sqrt(WIDTH // HEADS), np.float32)}
    graph = helper.make_graph(
        _layer(),
        "transformer",
        [
            helper.make_tensor_value_info("tokens", TensorProto.INT64, [1, LENGTH]),
            helper.make_tensor_value_info("mask", TensorProto.FLOAT, [1, 1, 1, LENGTH]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, LENGTH, WIDTH])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def _draw_weights(shape: tuple[int, ...]) -> np.ndarray:
    return _INITIAL.normal(scale=shape[0] ** -0.5, size=shape).astype(np.float32)


def _layer() -> list[onnx.NodeProto]:
    make = helper.make_node
    nodes = [make("Gather", ["table", "tokens"], ["x"])]
    for name, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        nodes += [
            *_linear("x", name, f"{name}1"),
            make("Reshape", [f"{name}1", "apart"], [f"{name}2"]),
            make("Transpose", [f"{name}2"], [name], perm=order),
        ]
    return [
        *nodes,
        make("MatMul", ["q", "k"], ["scores"]),
        make("Div", ["scores", "root"], ["scaled"]),
        make("Add", ["scaled", "mask"], ["masked"]),
        make("Softmax", ["masked"], ["chances"], axis=-1),
        make("MatMul", ["chances", "v"], ["read"]),
        make("Transpose", ["read"], ["back"], perm=[0, 2, 1, 3]),
        make("Reshape", ["back", "together"], ["joined"]),
        *_linear("joined", "o", "projected"),
        make("Add", ["projected", "x"], ["sum1"]),
        make("LayerNormalization", ["sum1", "scale1", "shift1"], ["norm1"]),
        *_linear("norm1", "1", "wide"),
        make("Gelu", ["wide"], ["active"]),
        *_linear("active", "2", "narrow"),
        make("Add", ["narrow", "norm1"], ["sum2"]),
        make("LayerNormalization", ["sum2", "scale2", "shift2"], ["y"]),
    ]


def _linear(x: str, name: str, y: str) -> list[onnx.NodeProto]:
    product = helper.make_node("MatMul", [x, f"w{name}"], [f"{y}_product"])
    return [product, helper.make_node("Add", [f"{y}_product", f"b{name}"], [y])]


def convolutional() -> onnx.ModelProto:
    """A first layer with pooling, a residual block, a depthwise convolution, a concatenation, a shuffle of
    channels, pooling and a classifier: x [1, 3, 64, 64] -> [1, 100]."""
    builder = NetworkBuilder("convolutional", (1, 3, 64, 64))
    x = _conv(builder, "x", 3, 64, kernel=7, stride=2)
    x = builder.operator("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    inner = _conv(builder, _conv(builder, x, 64, 32, kernel=1), 32, 64)
    x = builder.operator("Relu", builder.operator("Add", inner, x))
    deep = builder.conv(x, 64, 64, group=64, bias=True)
    both = builder.operator("Concat", deep, x, axis=1)
    shapes = {"apart": [1, 2, 64, 16, 16], "together": [1, 128, 16, 16]}
    apart, together = (builder.constant(name, np.asarray(shape)) for name, shape in shapes.items())
    turned = builder.operator("Transpose", builder.operator("Reshape", both, apart), perm=[0, 2, 1, 3, 4])
    x = _conv(builder, builder.operator("Reshape", turned, together), 128, 128, stride=2)
    x = builder.operator("Flatten", builder.operator("GlobalAveragePool", x), axis=1)
    logits = builder.linear(x, 128, 100)
    return builder.finish(builder.operator("Softmax", logits, axis=1), (1, 100)).to_model()


def _conv(builder: NetworkBuilder, x: str, channels: int, filters: int, **geometry: int) -> str:
    y = builder.conv(x, channels, filters, bias=False, **geometry)
    return builder.operator("Relu", builder.batch_norm(y, filters))
