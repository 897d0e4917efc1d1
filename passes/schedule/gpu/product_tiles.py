"""Tiles of a matrix product for thread blocks: the part of the result that a block computes, its steps of the
reduction, and its warps. The choice is that of docs/gpu-products.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import ir
from mlc.dialects.accel.compute import are_multiplied
from mlc.passes.common.computation import Computation, dim_position, dims_read
from mlc.passes.common.target import target_of
from mlc.passes.schedule.gpu.tiles import next_power_of_two
from mlc.targets import GpuTarget, Target

# Rows and columns of a tile, largest first: the larger, the more often a copied element is used.
TILES = ((128, 128), (128, 64), (64, 64), (64, 32), (32, 32))
# Tiles that warp groups multiply: each of two groups reads its rows and the columns once then, for 256
# columns of accumulators, which are 128 registers of a thread.
GROUP_TILES = ((128, 256), *TILES)
# As many blocks as keep most multiprocessors busy: there are 108 on an A100, 132 on an H100.
BLOCKS = 96
# Elements of the result for each warp: 32 registers of each thread, or less if a block had too few warps
# otherwise, but the tile of one tensor core instruction.
WARP_ELEMENTS, LEAST_WARP_ELEMENTS = 1024, 128
FEW_WARPS, MOST_WARPS = 4, 8
# Bytes of the reduction in a step: of large tiles, whose steps take long enough, and of small ones, and of
# all that warp groups multiply.
STEP_BYTES, LONG_STEP_BYTES = 64, 128
LARGE = 192
# Steps whose operands are in flight or being multiplied.
STAGES = 4
# Without tensor cores several steps of at most this size are merged, if two stages fit this much shared
# memory.
SHORT_STEP_BYTES, MERGED_STAGES, MERGED_BYTES = 16, 2, 48 << 10
# The tile and step of types that `accel.mma` does not support.
SCALAR_TILE, SCALAR_STEP = (16, 16), 8


@dataclass(frozen=True)
class ProductTile:
    """The tile sizes of a product by dim: `result` for the dims of its result, `steps` for its reductions,
    one loop each; `warps` compute a tile, in loops of `stages`.

    A tile has `height` rows and `width` columns, and takes `depth` points of the reduction in each of `count`
    steps, each of which merges `merged` iterations; there are `tiles` of them. The steps of a tile are split
    into `parts` for as many blocks, or those of all tiles are shared by `blocks`, if these are more than 1
    (`reduction_sharing.py`).
    """

    result: dict[int, int]
    steps: dict[int, int]
    warps: int
    stages: int
    height: int
    width: int
    depth: int
    count: int
    tiles: int
    merged: int = 1
    parts: int = 1
    blocks: int = 0


def product_tiles(anchor: Computation, precision: str) -> list[ProductTile]:
    """Returns the tiles of a computation that sums products of its two inputs, largest first."""
    known, size = element_bytes(anchor)
    sizes: tuple[tuple[int, int], ...] = TILES if known else (SCALAR_TILE,)
    if known and uses_tensor_cores(size, precision) and _is_for_groups(anchor):
        sizes = GROUP_TILES
    return [_product_tile(anchor, precision, size) for size in sizes]


def widest_tile(tiles: Sequence[ProductTile]) -> ProductTile:
    """Returns the first tile that gives at least BLOCKS blocks, else the last one."""
    return next((tile for tile in tiles if tile.tiles >= BLOCKS), tiles[-1])


def uses_tensor_cores(size: int, precision: str) -> bool:
    """Whether tensor cores multiply operands with elements of `size` bytes."""
    return size < 4 or precision == "tf32"


def _product_tile(anchor: Computation, precision: str, sizes: tuple[int, int]) -> ProductTile:
    rows, columns = sides(anchor)
    known, size = element_bytes(anchor)
    result = _tile(anchor, rows, columns, sizes)
    height, width = (prod(result[dim] for dim in dims) for dims in (rows, columns))
    long = uses_tensor_cores(size, precision) and (height + width < LARGE or _is_for_groups(anchor))
    step = (LONG_STEP_BYTES if long else STEP_BYTES) // size
    innermost = anchor.reductions[-1]
    depth = min(step if known else SCALAR_STEP, next_power_of_two(anchor.extents[innermost]))
    steps = dict.fromkeys(anchor.reductions[:-1], 1) | {innermost: depth}
    # A loop of one iteration would be removed, with its attributes.
    several = {dim: points for dim, points in steps.items() if anchor.extents[dim] > points}
    steps = several or {innermost: depth}
    count = prod(-(-anchor.extents[dim] // points) for dim, points in steps.items())
    is_short = known and not uses_tensor_cores(size, precision) and depth * size <= SHORT_STEP_BYTES
    merged = _merged_steps(count, (height + width) * depth * size) if is_short else 1
    depth, count = depth * merged, count // merged
    warps, stages = _warps(height * width), min(STAGES if merged == 1 else MERGED_STAGES, count)
    tiles = _blocks(anchor, result)
    return ProductTile(result, steps, warps, stages, height, width, depth, count, tiles, merged)


def _merged_steps(count: int, copied: int) -> int:
    """Returns how many of `count` steps, each of which copies `copied` bytes, become one: a divisor of the
    count, at most half of it."""
    most = min(count // 2, MERGED_BYTES // (MERGED_STAGES * copied))
    return max(index for index in range(1, max(1, most) + 1) if count % index == 0)


def modelled_gpu(target: Target) -> GpuTarget | None:
    """Returns the target, if it is a GPU that the models of schedules are for: NVIDIA's. Others are scheduled
    as if they were an A100."""
    return target if isinstance(target, GpuTarget) and target.is_nvidia else None


def _is_for_groups(anchor: Computation) -> bool:
    """Whether warp groups multiply tiles that TMA copies: rows of 128 bytes are then one panel, and the depth
    of four instructions. They read elements of 16 bits in any order, others with the reduction innermost
    only."""
    gpu = modelled_gpu(target_of(anchor.op))
    if gpu is None or not gpu.clusters:
        return False
    reduction_last = all(_ends_in_reduction(anchor, indexing_map) for indexing_map in anchor.maps[:2])
    return element_bytes(anchor)[1] == 2 or reduction_last


def _ends_in_reduction(anchor: Computation, indexing_map: ir.AffineMap) -> bool:
    """Whether neighbours in memory are steps of the innermost reduction."""
    dims = [dim_position(result) for result in indexing_map.results]
    long = [dim for dim in dims if dim is None or anchor.extents[dim] > 1]
    return long[-1:] == anchor.reductions[-1:]


def _warps(elements: int) -> int:
    few = min(FEW_WARPS, max(1, elements // LEAST_WARP_ELEMENTS))
    return min(MOST_WARPS, max(few, elements // WARP_ELEMENTS))


def sides(anchor: Computation) -> tuple[list[int], list[int]]:
    """Returns the dims of rows, which only the left operand and the result have, and those of columns."""
    left, right = map(dims_read, anchor.maps[:2])
    rows = [dim for dim in anchor.parallel if dim in left and dim not in right]
    columns = [dim for dim in anchor.parallel if dim in right and dim not in left]
    return rows, columns


def element_bytes(anchor: Computation) -> tuple[bool, int]:
    """Returns whether `accel.mma` supports the operands' element types, and the bytes of an element."""
    left, right = (ir.RankedTensorType(value.type).element_type for value in anchor.inputs[:2])
    known = are_multiplied(left, right) and (isinstance(left, ir.FloatType) or left.width == 8)
    return known, max(8, left.width) // 8


def _tile(
    anchor: Computation, rows: Sequence[int], columns: Sequence[int], sizes: tuple[int, int]
) -> dict[int, int]:
    """Returns the tile sizes of all dims of the result: 1 for those that both operands have."""
    result = dict.fromkeys(anchor.parallel, 1)
    for dims, size in zip((rows, columns), sizes, strict=True):
        result.update(zip(dims, box_of_points([anchor.extents[dim] for dim in dims], size), strict=True))
    return result


def _blocks(anchor: Computation, tile: dict[int, int]) -> int:
    return prod(-(-anchor.extents[dim] // points) for dim, points in tile.items())


def box_of_points(extents: Sequence[int], size: int) -> list[int]:
    """Returns powers of two whose product is `size`, or less if there are fewer points: the shape of which
    the fewest boxes cover all points, and of several the one that is longest along the last dims."""
    most = prod(map(next_power_of_two, extents))
    boxes = _boxes(list(map(next_power_of_two, extents)), min(size, most))
    return min(boxes, key=lambda box: (_count(extents, box), [-points for points in reversed(box)]))


def _count(extents: Sequence[int], box: Sequence[int]) -> int:
    return prod(-(-extent // points) for extent, points in zip(extents, box, strict=True))


def _boxes(limits: list[int], size: int) -> Iterator[list[int]]:
    """Yields all boxes of `size` points, none longer than `limits`."""
    if not limits:
        if size == 1:
            yield []
        return
    points = 1
    while points <= min(limits[0], size):
        for rest in _boxes(limits[1:], size // points):
            yield [points, *rest]
        points *= 2
