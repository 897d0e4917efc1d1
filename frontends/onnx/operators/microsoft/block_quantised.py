"""MatMulNBits and GatherBlockQuantized: narrow integers that have a scale per block."""

from __future__ import annotations

from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.checked_data import look_up
from mlc.frontends.onnx.operators.math.contraction import transpose_last
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.activations import part
from mlc.frontends.onnx.operators.nn.normalisation import affine
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("GatherBlockQuantized", domain=MICROSOFT)
def gather_block_quantized(node: Node) -> Value:
    """Imports GatherBlockQuantized: gathered rows of a table, dequantised after the gather.

    Inputs: the table, indices along its first axis, scales and zero points per row and block. Raises
    UnsupportedNodeError for other axes.
    """
    data, indices, scales = node.input(0), node.input(1), node.input(2)
    last = data.rank - 1
    if node.axis(node.attr("gather_axis", 0), data.rank) != 0:
        raise UnsupportedNodeError("gather_axis other than 0 is not supported")
    if node.axis(node.attr("quantize_axis", 1), data.rank) != last:
        raise UnsupportedNodeError("quantize_axis other than the last is not supported")
    bits, size = int(node.attr("bits", 4)), int(node.attr("block_size", 128))
    rows = _elements(node, look_up(node, data, indices, 0), bits)
    scale = node.emit("gather", scales, indices, axis=0)
    zeros = node.optional(3)
    if zeros is not None:
        gathered = _elements(node, node.emit("gather", zeros, indices, axis=0), bits)
        (blocks,) = node.static(scales.shape[-1:], "the number of blocks")
        zero = node.cast(part(node, gathered, gathered.rank - 1, 0, blocks), scale.onnx_type)
    else:
        # Bytes hold unsigned integers, of which the middle one represents 0.
        zero = node.scalar(1 << (bits - 1) if data.onnx_type == TensorProto.UINT8 else 0, scale)
    shape = node.shape(rows)
    blocked = _in_blocks(node, node.cast(rows, scale.onnx_type), size)
    wide = [
        node.emit("unsqueeze", value, axes=[value.rank]) if value.rank else value for value in (zero, scale)
    ]
    result = node.emit("mul", node.emit("sub", blocked, wide[0]), wide[1])
    flat = node.reshape(result, [*shape[:-1], -(-shape[-1] // size) * size])
    return part(node, flat, len(shape) - 1, 0, shape[-1])


def _elements(node: Node, x: Value, bits: int) -> Value:
    """Returns one value per element, where bytes hold several."""
    return unpack_bits(node, x, bits) if x.onnx_type == TensorProto.UINT8 else x


def _in_blocks(node: Node, x: Value, size: int) -> Value:
    """Reshapes `[..., K]` to `[..., blocks, size]`, padded with zeros."""
    shape = node.shape(x)
    missing = -shape[-1] % size
    if missing:
        high = [0] * (len(shape) - 1) + [missing]
        x = node.emit("pad", x, low=[0] * len(shape), high=high, mode="constant", value=0.0)
    return node.reshape(x, [*shape[:-1], (shape[-1] + missing) // size, size])


@onnx_operator("MatMulNBits", domain=MICROSOFT)
def matmul_nbits(node: Node) -> Value:
    """Imports MatMulNBits: A `[..., K]` @ weights^T + bias.

    Inputs: A, packed weights `[N, blocks, block_size * bits / 8]`, scales and zero points per column and
    block, group indices, bias. A constant weight is unpacked once, by `@prepare`.
    """
    if node.optional(4) is not None:
        raise UnsupportedNodeError("g_idx (blocks of other weights than neighbours) is not supported")
    if node.attr("weight_prepacked", 0):
        raise UnsupportedNodeError("weight_prepacked = 1 is not supported")
    columns, depth = int(node.attr("N")), int(node.attr("K"))
    weight = transpose_last(node, _weights(node, columns, depth))
    return affine(node, node.emit("matmul", node.input(0), weight), None, node.optional(5))


def _weights(node: Node, columns: int, depth: int) -> Value:
    """Returns `[N, K]` in A's type: (element - zero point) * scale. Raises NodeError for other bits than 2,
    4 and 8."""
    a, bits, size = node.input(0), int(node.attr("bits", 4)), int(node.attr("block_size"))
    if bits not in (2, 4, 8):
        raise NodeError(f"bits must be 2, 4 or 8, not {bits}")
    blocks = -(-depth // size)
    packed = node.reshape(node.input(1), [columns, blocks, size * bits // 8])
    zeros = node.optional(3)
    if zeros is None:
        zero = node.scalar(1 << (bits - 1), a)
    elif zeros.onnx_type == TensorProto.UINT8:
        bytes_per_row = -(-blocks * bits // 8)
        elements = unpack_bits(node, node.reshape(zeros, [columns, bytes_per_row]), bits)
        zero = node.cast(node.reshape(part(node, elements, 1, 0, blocks), [columns, blocks, 1]), a.onnx_type)
    else:
        zero = node.reshape(zeros, [columns, blocks, 1])
    centred = node.emit("sub", node.cast(unpack_bits(node, packed, bits), a.onnx_type), zero)
    scales = node.reshape(node.input(2), [columns, blocks, 1])
    flat = node.reshape(node.emit("mul", centred, scales), [columns, blocks * size])
    return part(node, flat, 1, 0, depth)


def unpack_bits(node: Node, packed: Value, bits: int) -> Value:
    """Unpacks `[..., n]` bytes to `[..., n * 8 / bits]` elements, low bits first."""
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
