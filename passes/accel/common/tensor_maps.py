"""Tensor maps: what TMA, the copy engine of sm_90, must know to copy tiles of a memref, and when it can.

Source: NVIDIA's PTX documentation, "Tensors", and the CUDA driver API's `cuTensorMapEncodeTiled`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir
from mlc.dialects import accel
from mlc.dialects.accel import box_of, is_shared, launch_around
from mlc.passes.accel.common.buffers import allocation, is_bulk, readers
from mlc.passes.accel.common.captures import is_dense
from mlc.passes.accel.common.multicasts import MulticastShare, is_uniform, part_of
from mlc.passes.accel.common.shared_memory import element_bytes

MOST_DIMS, LONGEST_SIDE, LARGEST_STEP, UNIT_BYTES = 5, 256, 8, 16
# Where TMA may write, and after how many rows the pattern of a swizzle repeats.
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
    """How tiles of a memref are copied: fields as in a plan's tensor map, innermost dim first."""

    dtype: str
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...]
    swizzle: int

    def attribute(self, parameter: int, pointer: int) -> ir.Attribute:
        """For the kernel whose parameter of this number is the map, and whose parameter `pointer` the pointer
        to the memref."""

        def listed(numbers: Sequence[int]) -> str:
            return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"

        return ir.Attribute.parse(
            f'{{parameter = {parameter} : i64, pointer = {pointer} : i64, dtype = "{self.dtype}", '
            f"dims = {listed(self.dims)}, strides = {listed(self.strides)}, box = {listed(self.box)}, "
            f"steps = {listed(self.steps)}, swizzle = {self.swizzle} : i64, "
            f"l2_promotion = {L2_PROMOTION} : i64}}"
        )


def sides_of(copy: ir.Operation) -> tuple[ir.Value, ir.Value]:
    """The memref in global memory and the tile in shared memory, whichever is copied to the other."""
    source, target = list(copy.operands)[:2]
    return (source, target) if is_shared(target) else (target, source)


def tensor_map(copy: ir.Operation) -> TileTensorMap:
    """Of the memref that `copy` reads or writes, for which `tensor_map_fault` finds nothing."""
    memref, tile = sides_of(copy)
    kind, size = memref.type, element_bytes(memref.type.element_type)
    extents, (box, steps), kept = list(kind.shape), _box(copy), mapped_dims(copy)[::-1]
    strides = [math.prod(extents[dim + 1 :]) * size for dim in kept[1:]]
    dims, sides, apart = (tuple(each[dim] for dim in kept) for each in (extents, box, steps))
    dtype = "tfloat32" if is_rounded(tile) else _DTYPES[str(kind.element_type)]
    return TileTensorMap(dtype, dims, tuple(strides), sides, apart, swizzle_of(tile))


def mapped_dims(copy: ir.Operation) -> list[int]:
    """The dims of the memref that its tensor map has: those longer than 1, and those in which the copy may
    begin elsewhere than at 0."""
    memref, offsets = sides_of(copy)[0], list(copy.operands)[2:]
    last = memref.type.rank - 1
    return [
        dim
        for dim, offset in enumerate(offsets)
        if dim == last or memref.type.shape[dim] > 1 or not _is_zero(offset)
    ]


def _is_zero(value: ir.Value) -> bool:
    op = arith.Constant.defining(value)
    return op is not None and ir.IntegerAttr(op.value).value == 0


def _box(copy: ir.Operation) -> tuple[list[int], list[int]]:
    """From where to where one instruction copies along each dim of the memref, and in which steps."""
    counts, (_, steps) = list(own_part(copy).counts), box_of(copy)
    counts[-1] = panel_columns(copy)
    return [count * step for count, step in zip(counts, steps, strict=True)], steps


def own_part(copy: ir.Operation) -> MulticastShare:
    """What a block copies, of the tile that it and others may copy together."""
    part = part_of(copy, panel_columns(copy))
    assert part is not None, "tensor_map_fault finds nothing"
    return part


def panel_columns(copy: ir.Operation) -> int:
    """Elements of a row that one instruction copies: all of it, or as many as the swizzle permutes."""
    _, tile = sides_of(copy)
    columns, size = tile.type.shape[-1], element_bytes(tile.type.element_type)
    return min(columns, swizzle_of(tile) // size or columns)


def tensor_map_fault(copy: ir.Operation) -> str:
    """Why TMA cannot do a copy; "" if it can."""
    memref, tile = sides_of(copy)
    if not is_shared(copy.operands[1]) and not is_bulk(copy):
        return "only copies into shared memory end at semaphores"
    part = part_of(copy, panel_columns(copy))
    if part is None:
        return f"blocks of a cluster copy equal parts of a tile, which {tile.type} has not"
    if not is_uniform(copy):
        return "a multicast copy must not depend on the block's place along its dim"
    if is_bulk(copy) and max(_box(copy)[1]) > 1:
        return "TMA stores neighbours, without steps between them"
    return _memref_fault(memref, len(mapped_dims(copy))) or _tile_fault(copy, tile, part)


def _memref_fault(memref: ir.Value, rank: int) -> str:
    kind = memref.type
    if not isinstance(memref, ir.BlockArgument) and launch_around(memref.owner) is not None:
        return "TMA copies memrefs from around the launch"
    if not kind.has_static_shape or not is_dense(kind) or not 1 <= rank <= MOST_DIMS:
        return f"TMA copies dense memrefs of static shape with 1 to {MOST_DIMS} dims, not {kind}"
    if str(kind.element_type) not in _DTYPES:
        return f"TMA does not know {kind.element_type}"
    row = math.prod(kind.shape[-1:]) * element_bytes(kind.element_type)
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
    """Bytes within which the rows of a buffer, or of a part of one, are permuted."""
    return int(allocation(buffer).attributes["swizzle"].value)


def is_rounded(buffer: ir.Value) -> bool:
    """Whether what comes into a buffer of f32 may be rounded to tf32 on the way, since only such products
    read it."""
    if str(buffer.type.element_type) != "f32":
        return False
    found = readers(allocation(buffer).results[0])
    return bool(found) and all(
        op.name == accel.Mma.NAME and accel.Mma(op).precision == "tf32" for op in found
    )
