"""MatMulNBits: products with weights of 2, 4 or 8 bits, which have a scale per block.

GatherBlockQuantized: rows of a table of narrow integers, which have a scale per block.
"""

from __future__ import annotations

from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.math.contraction import transposed
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.activations import part
from mlc.frontends.onnx.operators.nn.normalisation import affine
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("GatherBlockQuantized", domain=MICROSOFT)
def gather_block_quantized(node: Node) -> Value:
    """Inputs: the table, indices along its first axis, scales and zero points per row and block. Only what is
    gathered becomes numbers."""
    data, places, scales = node.input(0), node.input(1), node.input(2)
    last = data.rank - 1
    if node.axis(node.attr("gather_axis", 0), data.rank) != 0:
        raise UnsupportedNodeError("gather_axis other than 0 is not supported")
    if node.axis(node.attr("quantize_axis", 1), data.rank) != last:
        raise UnsupportedNodeError("quantize_axis other than the last is not supported")
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


@onnx_operator("MatMulNBits", domain=MICROSOFT)
def matmul_nbits(node: Node) -> Value:
    """A `[..., K]` @ weights^T + bias. Inputs: A, packed weights `[N, blocks, block_size * bits / 8]`, scales
    and zero points per column and block, group numbers, bias. A constant weight is unpacked once, by
    `@prepare`."""
    if node.optional(4) is not None:
        raise UnsupportedNodeError("g_idx (blocks of other weights than neighbours) is not supported")
    if node.attr("weight_prepacked", 0):
        raise UnsupportedNodeError("weight_prepacked = 1 is not supported")
    columns, depth = int(node.attr("N")), int(node.attr("K"))
    weight = transposed(node, _weights(node, columns, depth))
    return affine(node, node.emit("matmul", node.input(0), weight), None, node.optional(5))


def _weights(node: Node, columns: int, depth: int) -> Value:
    """`[N, K]` in A's type: (number - zero point) * scale."""
    a, bits, size = node.input(0), int(node.attr("bits", 4)), int(node.attr("block_size"))
    if bits not in (2, 4, 8):
        raise NodeError(f"bits must be 2, 4 or 8, not {bits}")
    blocks = -(-depth // size)
    packed = node.reshape(node.input(1), [columns, blocks, size * bits // 8])
    zeros = node.optional(3)
    if zeros is None:
        zero = node.scalar(1 << (bits - 1), a)
    elif zeros.number == TensorProto.UINT8:
        bytes_per_row = -(-blocks * bits // 8)
        numbers = unpacked(node, node.reshape(zeros, [columns, bytes_per_row]), bits)
        zero = node.cast(node.reshape(part(node, numbers, 1, 0, blocks), [columns, blocks, 1]), a.number)
    else:
        zero = node.reshape(zeros, [columns, blocks, 1])
    centred = node.emit("sub", node.cast(unpacked(node, packed, bits), a.number), zero)
    scales = node.reshape(node.input(2), [columns, blocks, 1])
    flat = node.reshape(node.emit("mul", centred, scales), [columns, blocks * size])
    return part(node, flat, 1, 0, depth)


def unpacked(node: Node, packed: Value, bits: int) -> Value:
    """`[..., n]` bytes as `[..., n * 8 / bits]` numbers, low bits first."""
    if bits == 8:
        return packed
    mask, fields = node.scalar((1 << bits) - 1, packed), []
    for shift in range(0, 8, bits):
        moved = node.emit("shift_right", packed, node.scalar(shift, packed)) if shift else packed
        field = node.emit("bitwise_and", moved, mask) if shift + bits < 8 else moved
        fields.append(node.emit("unsqueeze", field, axes=[packed.rank]))
    shape = node.shape(packed)
    together = node.emit("concat", *fields, axis=packed.rank)
    return node.reshape(together, [*shape[:-1], shape[-1] * 8 // bits])
