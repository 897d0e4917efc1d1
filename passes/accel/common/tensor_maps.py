"""Tensor maps, which describe to TMA (the Tensor Memory Accelerator of sm_90) the tiles of a memref that it
copies.

Source: NVIDIA's PTX documentation, "Tensors", and the CUDA driver API's `cuTensorMapEncodeTiled`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import accel
from mlc.dialects.accel import box_of, is_shared, launch_around
from mlc.passes.accel.common.buffers import allocation, is_bulk, readers
from mlc.passes.accel.common.captures import is_dense
from mlc.passes.accel.common.multicasts import MulticastShare, is_uniform, part_of
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.common.constants import is_zero_constant

MOST_DIMS, LONGEST_SIDE, LARGEST_STEP, UNIT_BYTES = 5, 256, 8, 16
# Alignment of TMA's destination in bytes, and the rows after which the pattern of a swizzle repeats.
ALIGNMENT, SWIZZLED_ROWS = 128, 8
L2_PROMOTION = 128
_DTYPES = {
    "bf16": "bfloat16",
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
    "i1": "bool",
}


@dataclass(frozen=True)
class TileTensorMap:
    """A tensor map of tiles of a memref: fields as in a plan's tensor map, innermost dim first."""

    dtype: str
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...]
    swizzle: int

    def attribute(self, parameter: int, pointer: int) -> ir.Attribute:
        """Returns the map as an attribute of a kernel; `parameter` is the index of its parameter that is the
        map, `pointer` of the one that points to the memref."""

        def array(values: Sequence[int]) -> str:
            return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"

        return ir.Attribute.parse(
            f'{{parameter = {parameter} : i64, pointer = {pointer} : i64, dtype = "{self.dtype}", '
            f"dims = {array(self.dims)}, strides = {array(self.strides)}, box = {array(self.box)}, "
            f"steps = {array(self.steps)}, swizzle = {self.swizzle} : i64, "
            f"l2_promotion = {L2_PROMOTION} : i64}}"
        )


def sides_of(copy: ir.Operation) -> tuple[ir.Value, ir.Value]:
    """Returns the memref in global memory and the tile in shared memory; either is copied to the other."""
    source, target = accel.Copy(copy).source, accel.Copy(copy).destination
    return (source, target) if is_shared(target) else (target, source)


def tensor_map(copy: ir.Operation) -> TileTensorMap:
    """Returns the tensor map of the memref that `copy`, for which `tensor_map_fault` is "", reads or
    writes."""
    memref, tile = sides_of(copy)
    size = element_bytes(memref.type.element_type)
    extents, (box, steps), kept = list(memref.type.shape), _box(copy), mapped_dims(copy)[::-1]
    strides = [math.prod(extents[dim + 1 :]) * size for dim in kept[1:]]
    dims, sides, apart = (tuple(values[dim] for dim in kept) for values in (extents, box, steps))
    dtype = "tfloat32" if is_rounded(tile) else _DTYPES[str(memref.type.element_type)]
    return TileTensorMap(dtype, dims, tuple(strides), sides, apart, swizzle_of(tile))


def mapped_dims(copy: ir.Operation) -> list[int]:
    """Returns the dims of the memref that its tensor map has: those longer than 1, and those along which the
    copy may begin at another index than 0."""
    memref, offsets = sides_of(copy)[0], accel.Copy(copy).offsets
    last = memref.type.rank - 1
    return [
        dim
        for dim, offset in enumerate(offsets)
        if dim == last or memref.type.shape[dim] > 1 or not is_zero_constant(offset)
    ]


def _box(copy: ir.Operation) -> tuple[list[int], list[int]]:
    """The extents of the memref that one instruction covers along each dim, and its steps there."""
    counts, (_, steps) = list(own_part(copy).counts), box_of(copy)
    counts[-1] = panel_columns(copy)
    return [count * step for count, step in zip(counts, steps, strict=True)], steps


def own_part(copy: ir.Operation) -> MulticastShare:
    """Returns the part of a tile that a block copies; for a multicast copy, other blocks copy the rest."""
    part = part_of(copy, panel_columns(copy))
    assert part is not None, "tensor_map_fault reports copies without equal parts"
    return part


def panel_columns(copy: ir.Operation) -> int:
    """Returns the elements of a row that one instruction copies: all of it, or as many as the swizzle
    permutes."""
    _, tile = sides_of(copy)
    columns, size = tile.type.shape[-1], element_bytes(tile.type.element_type)
    return min(columns, swizzle_of(tile) // size or columns)


def tensor_map_fault(copy: ir.Operation) -> str:
    """Returns the reason why TMA cannot execute a copy; "" if it can."""
    memref, tile = sides_of(copy)
    if not is_shared(accel.Copy(copy).destination) and not is_bulk(copy):
        return "only copies into shared memory end at semaphores"
    part = part_of(copy, panel_columns(copy))
    if part is None:
        return f"blocks of a cluster copy equal parts of a tile, which {tile.type} has not"
    if not is_uniform(copy):
        return "a multicast copy must not depend on the block's index along its dim"
    if is_bulk(copy) and max(_box(copy)[1]) > 1:
        return "TMA stores neighbours, without steps between them"
    return _memref_fault(memref, len(mapped_dims(copy))) or _tile_fault(copy, tile, part)


def _memref_fault(memref: ir.Value, rank: int) -> str:
    memref_type = memref.type
    if not isinstance(memref, ir.BlockArgument) and launch_around(memref.owner) is not None:
        return "TMA copies memrefs from around the launch"
    if not memref_type.has_static_shape or not is_dense(memref_type) or not 1 <= rank <= MOST_DIMS:
        return f"TMA copies dense memrefs of static shape with 1 to {MOST_DIMS} dims, not {memref_type}"
    if str(memref_type.element_type) not in _DTYPES:
        return f"TMA does not support {memref_type.element_type}"
    row = math.prod(memref_type.shape[-1:]) * element_bytes(memref_type.element_type)
    if rank > 1 and row % UNIT_BYTES:
        return f"TMA needs rows of a multiple of {UNIT_BYTES} bytes, not of {row}"
    return ""


def _tile_fault(copy: ir.Operation, tile: ir.Value, part: MulticastShare) -> str:
    shape, size, swizzle = list(tile.type.shape), element_bytes(tile.type.element_type), swizzle_of(tile)
    (counts, steps), (box, _) = box_of(copy), _box(copy)
    if counts[-1] != shape[-1] or steps[-1] != 1 or max(steps) > LARGEST_STEP:
        return f"TMA copies whole rows of tiles, in steps up to {LARGEST_STEP} along other dims"
    if max(box) > LONGEST_SIDE:
        return f"TMA copies up to {LONGEST_SIDE} elements along a dim, not {max(box)}"
    if box[-1] * size % UNIT_BYTES or math.prod(shape) * size % ALIGNMENT:
        return (
            f"TMA needs tiles of a multiple of {ALIGNMENT} bytes with rows of {UNIT_BYTES}, not {tile.type}"
        )
    if swizzle and (len(shape) != 2 or part.rows % SWIZZLED_ROWS):
        return f"TMA needs swizzled tiles of a multiple of {SWIZZLED_ROWS} rows, not {tile.type}"
    if part.rows * box[-1] * size % ALIGNMENT:
        return f"TMA needs parts of a multiple of {ALIGNMENT} bytes, of which {tile.type} has none"
    return ""


def swizzle_of(buffer: ir.Value) -> int:
    """Returns the width in bytes of the swizzle of a buffer, or of the one that it is a view of; 0 for
    none."""
    return int(allocation(buffer).attributes["swizzle"].value)


def is_rounded(buffer: ir.Value) -> bool:
    """Whether TMA may round the elements of a buffer of f32 to tf32, since only mmas of tf32 read it."""
    if str(buffer.type.element_type) != "f32":
        return False
    found = readers(allocation(buffer).results[0])
    return bool(found) and all(
        op.name == accel.Mma.NAME and accel.Mma(op).precision == "tf32" for op in found
    )
