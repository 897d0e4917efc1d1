"""Products and convolutions with what ONNX Runtime fuses to them: transposes, factors, activations."""

from __future__ import annotations

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.math.contraction import gemm, scale_by, transpose_last
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.activations import activate
from mlc.frontends.onnx.operators.nn.convolution import conv
from mlc.frontends.onnx.operators.nn.normalisation import affine
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

_PARAMETERS = ("activation_alpha", "activation_beta", "activation_gamma")


def _batch_transposed(node: Node, x: Value) -> Value:
    """Transposes `[M, batch..., K]` to `[batch..., M, K]`."""
    order = [*range(1, x.rank - 1), 0, x.rank - 1]
    return node.emit("transpose", x, permutation=order) if x.rank > 2 else x


@onnx_operator("FusedMatMul", "TransposeMatMul", "FusedMatMulActivation", domain=MICROSOFT)
def fused_matmul(node: Node) -> Value:
    """Imports FusedMatMul: alpha * op(A) @ op(B), followed by an activation."""
    sides = []
    for index, name in enumerate("AB"):
        value = node.input(index)
        value = _batch_transposed(node, value) if node.attr(f"transBatch{name}", 0) else value
        sides.append(
            transpose_last(node, value) if node.attr(f"trans{name}", 0) and value.rank > 1 else value
        )
    product = scale_by(node, node.emit("matmul", *sides), node.attr("alpha", 1.0))
    return activate(node, product, [node.attributes.get(name) for name in _PARAMETERS])


@onnx_operator("CDist", domain=MICROSOFT)
def distances(node: Node) -> Value:
    """Imports CDist: the distances `[M, N]` of the rows of A `[M, K]` from those of B `[N, K]`.

    |a|^2 + |b|^2 - 2ab is a product, and may be slightly negative for equal rows. Raises NodeError.
    """
    metric = node.attr("metric", "sqeuclidean")
    if metric not in ("euclidean", "sqeuclidean"):
        raise NodeError(f"metric {metric!r} is neither euclidean nor sqeuclidean")
    a, b = node.input(0), node.input(1)
    if a.rank != 2 or b.rank != 2:
        raise NodeError(f"A of shape {a.shape_text} and B of shape {b.shape_text} must be matrices")
    squares = [
        node.emit("reduce_sum", node.emit("mul", x, x), axes=[1], keepdims=keepdims)
        for x, keepdims in ((a, True), (b, False))
    ]
    product = node.emit("matmul", a, transpose_last(node, b))
    found = node.emit("sub", node.emit("add", *squares), scale_by(node, product, 2.0))
    found = node.emit("max", found, node.scalar(0, found))
    return node.emit("sqrt", found) if metric == "euclidean" else found


@onnx_operator("FusedGemm", domain=MICROSOFT)
def fused_gemm(node: Node) -> Value:
    """Imports FusedGemm: Gemm followed by an activation."""
    return activate(node, gemm(node), [node.attributes.get(name) for name in _PARAMETERS])


@onnx_operator("GemmFastGelu", domain=MICROSOFT)
def gemm_fast_gelu(node: Node) -> Value:
    """Imports GemmFastGelu."""
    product = affine(node, node.emit("matmul", node.input(0), node.input(1)), None, node.optional(2))
    return node.emit("gelu", product, approximate="tanh")


@onnx_operator("FusedConv", domain=MICROSOFT)
def fused_conv(node: Node) -> Value:
    """Imports FusedConv: activation(conv(x, w) + bias + z)."""
    result = affine(node, conv(node), None, node.optional(3))
    return activate(node, result, list(node.attr("activation_params", ())))


@onnx_operator("NhwcConv", "NhwcFusedConv", domain=MICROSOFT)
def nhwc_conv(node: Node) -> Value:
    """Imports NhwcConv and NhwcFusedConv: images `[N, spatial..., C]`, weights `[O, kernel..., C/group]`.

    The bias and the addend of the result are as in FusedConv.
    """
    moved = [channels_first(node, node.input(i)) for i in (0, 1)]
    added = node.optional(3)
    rest = [node.optional(2), None if added is None else channels_first(node, added)]
    return channels_last(node, fused_conv(node.with_inputs(*moved, *rest)))


def channels_first(node: Node, x: Value) -> Value:
    """Transposes `[N, spatial..., C]` to `[N, C, spatial...]`."""
    return node.emit("transpose", x, permutation=[0, x.rank - 1, *range(1, x.rank - 1)])


def channels_last(node: Node, x: Value) -> Value:
    """Transposes `[N, C, spatial...]` to `[N, spatial..., C]`."""
    return node.emit("transpose", x, permutation=[0, *range(2, x.rank), 1])
