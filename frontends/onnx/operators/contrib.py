"""Operators of ONNX Runtime's domain com.microsoft that exporters of transformers write."""

from __future__ import annotations

from mlc.frontends.onnx.node import Node, Unsupported
from mlc.frontends.onnx.operators.contraction import scaled, transposed
from mlc.frontends.onnx.operators.normalisation import affine
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

MICROSOFT = "com.microsoft"


@onnx_operator("Gelu", "BiasGelu", domain=MICROSOFT)
def gelu(node: Node) -> Value:
    return node.emit("gelu", affine(node, node.input(0), None, node.optional(1)), approximate="none")


@onnx_operator("FastGelu", domain=MICROSOFT)
def fast_gelu(node: Node) -> Value:
    return node.emit("gelu", affine(node, node.input(0), None, node.optional(1)), approximate="tanh")


@onnx_operator("QuickGelu", domain=MICROSOFT)
def quick_gelu(node: Node) -> Value:
    """x * sigmoid(alpha * x)."""
    x = node.input(0)
    return node.emit("mul", x, node.emit("sigmoid", scaled(node, x, node.attr("alpha", 1.702))))


@onnx_operator("FusedMatMul", domain=MICROSOFT)
def fused_matmul(node: Node) -> Value:
    if node.attr("transBatchA", 0) or node.attr("transBatchB", 0):
        raise Unsupported("transBatchA and transBatchB are not supported")
    a, b = node.input(0), node.input(1)
    a = transposed(node, a) if node.attr("transA", 0) else a
    b = transposed(node, b) if node.attr("transB", 0) else b
    return scaled(node, node.emit("matmul", a, b), node.attr("alpha", 1.0))


@onnx_operator("SimplifiedLayerNormalization")
@onnx_operator("SimplifiedLayerNormalization", domain=MICROSOFT)
def simplified_layer_normalization(node: Node) -> Value:
    x = node.input(0)
    axes = list(range(node.axis(node.attr("axis", -1), x.rank), x.rank))
    normalised = node.emit("rms_norm", x, axes=axes, epsilon=float(node.attr("epsilon", 1e-5)))
    return affine(node, normalised, node.input(1), None)


@onnx_operator("SkipLayerNormalization", domain=MICROSOFT)
def skip_layer_normalization(node: Node) -> list[Value | None]:
    """Inputs: x, skip, gamma, beta, bias."""
    total = _skipped(node, node.optional(4))
    normalised = node.emit(
        "layer_norm", total, axes=[total.rank - 1], epsilon=float(node.attr("epsilon", 1e-12))
    )
    return _with_sum(node, affine(node, normalised, node.input(2), node.optional(3)), total)


@onnx_operator("SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def skip_simplified_layer_normalization(node: Node) -> list[Value | None]:
    """Inputs: x, skip, gamma, bias."""
    total = _skipped(node, node.optional(3))
    normalised = node.emit(
        "rms_norm", total, axes=[total.rank - 1], epsilon=float(node.attr("epsilon", 1e-12))
    )
    return _with_sum(node, affine(node, normalised, node.input(2), None), total)


def _skipped(node: Node, bias: Value | None) -> Value:
    return affine(node, node.emit("add", node.input(0), node.input(1)), None, bias)


def _with_sum(node: Node, result: Value, total: Value) -> list[Value | None]:
    if node.wants(1) or node.wants(2):
        raise Unsupported("the outputs mean and inv_std_var are not supported")
    return [result, None, None, total]
