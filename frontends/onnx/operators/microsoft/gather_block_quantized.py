"""GatherBlockQuantized: rows of a table of narrow integers, which have a scale per block."""

from __future__ import annotations

from onnx import TensorProto

from mlc.frontends.onnx.node import Node, Unsupported
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.activations import part
from mlc.frontends.onnx.operators.microsoft.block_quantised import unpacked
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("GatherBlockQuantized", domain=MICROSOFT)
def gather_block_quantized(node: Node) -> Value:
    """Inputs: the table, indices along its first axis, scales and zero points per row and block. Only what is
    gathered becomes numbers."""
    data, places, scales = node.input(0), node.input(1), node.input(2)
    last = data.rank - 1
    if node.axis(node.attr("gather_axis", 0), data.rank) != 0:
        raise Unsupported("gather_axis other than 0 is not supported")
    if node.axis(node.attr("quantize_axis", 1), data.rank) != last:
        raise Unsupported("quantize_axis other than the last is not supported")
    bits, size = int(node.attr("bits", 4)), int(node.attr("block_size", 128))
    rows = _numbers(node, node.emit("gather", data, places, axis=0), bits)
    scale = node.emit("gather", scales, places, axis=0)
    zeros = node.optional(3)
    if zeros is not None:
        gathered = _numbers(node, node.emit("gather", zeros, places, axis=0), bits)
        (blocks,) = node.static(scales.shape[-1:], "the number of blocks")
        zero = node.cast(part(node, gathered, gathered.rank - 1, 0, blocks), scale.number)
    else:
        # Bytes hold numbers without a sign, of which the middle stands for 0.
        zero = node.scalar(1 << (bits - 1) if data.number == TensorProto.UINT8 else 0, scale)
    shape = node.shape(rows)
    blocked = _in_blocks(node, node.cast(rows, scale.number), size)
    wide = [node.emit("unsqueeze", each, axes=[each.rank]) if each.rank else each for each in (zero, scale)]
    result = node.emit("mul", node.emit("sub", blocked, wide[0]), wide[1])
    flat = node.reshape(result, [*shape[:-1], -(-shape[-1] // size) * size])
    return part(node, flat, len(shape) - 1, 0, shape[-1])


def _numbers(node: Node, x: Value, bits: int) -> Value:
    """One element per number: bytes hold several."""
    return unpacked(node, x, bits) if x.number == TensorProto.UINT8 else x


def _in_blocks(node: Node, x: Value, size: int) -> Value:
    """`[..., K]` as `[..., blocks, size]`, filled up with zeros."""
    shape = node.shape(x)
    missing = -shape[-1] % size
    if missing:
        high = [0] * (len(shape) - 1) + [missing]
        x = node.emit("pad", x, low=[0] * len(shape), high=high, mode="constant", value=0.0)
    return node.reshape(x, [*shape[:-1], (shape[-1] + missing) // size, size])
