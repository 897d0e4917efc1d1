"""QAttention: Attention whose projection is a product of integers."""

from __future__ import annotations

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.attention import refuse, self_attention
from mlc.frontends.onnx.operators.microsoft.quantised_products import integer_product
from mlc.frontends.onnx.operators.nn.normalisation import affine
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("QAttention", domain=MICROSOFT)
def quantised_attention(node: Node) -> list[Value | None]:
    """Inputs: x, weights, bias of floats, scales of x and weights, mask, their zero points, past."""
    refuse(node, [], ["do_rotary", "past_present_share_buffer"])
    zeros, scales = (node.optional(6), node.optional(7)), (node.input(3), node.input(4))
    product = integer_product(node, node.input(0), node.input(1), zeros, scales)
    projected = affine(node, product, None, node.input(2))
    return self_attention(node, projected, mask=node.optional(5), past=node.optional(8), added=None)
