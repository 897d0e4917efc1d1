"""Tile sizes of attention: queries, keys and warps per thread block."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlc.passes.accel.attention.problem import Attention
from mlc.passes.accel.common.matrix_layouts import ROWS
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.common.tensor_maps import UNIT_BYTES
from mlc.passes.accel.common.warpgroups import GROUP
from mlc.targets import GpuTarget, Target

# The smallest extent of a tile: that of an instruction of the matrix unit.
LEAST = 16
MOST_QUERIES, FEW_QUERIES, MOST_KEYS = 128, 64, 64
# Thread blocks that occupy all multiprocessors of a GPU; with fewer, tiles have fewer queries.
BUSY_THREAD_BLOCKS = 128
# Bytes of a stage of keys and values in shared memory, by the bytes of an element, and the number of stages.
# Elements of 4 bytes are loaded one by one, and each address takes a register.
STAGE_BYTES, STAGES = {2: 32 << 10, 4: 16 << 10}, 2
# With TMA and asynchronous mma: keys whose scores fit in registers together with the result; fewer keys with
# a mask too, or with the result of heads longer than `LONG`; and the largest number of stages.
SCORES, FEW_SCORES, LONG, MOST_STAGES = 128, 64, 128, 4
# Bytes of shared memory for semaphores, and for a word of each thread.
RESERVED_BYTES = 2 << 10
# Bytes of a query that a warp keeps in registers; longer ones stay in shared memory.
REGISTER_BYTES = 256
# The extent of queries, keys and values up to which a warp can have more rows.
SHORT = 64
# Without a matrix unit: warps per thread block, and the smallest number of rows per warp.
SCALAR_WARPS, SCALAR_ROWS = 8, 4


@dataclass(frozen=True)
class AttentionTileSizes:
    """Tiles of `queries` and of `keys`, whose `width` and `features` are the attention's; all are powers of
    two."""

    queries: int
    keys: int
    width: int
    features: int
    warps: int
    # Whether the matrix unit multiplies: weights then stay in registers.
    matrix_unit: bool
    queries_in_registers: bool
    # Tiles of keys and values that are being copied or used.
    stages: int = STAGES
    # Whether the softmax of a tile of keys overlaps with the mma of the previous tile's weights and values.
    overlap: bool = False
    # Whether warp groups ping-pong: one computes its softmax during the mma of the other.
    ping_pong: bool = False
    # Adjacent tiles of queries whose thread blocks share copies of keys and values by multicast.
    cluster: int = 1


def sizes_of(attention: Attention, target: Target) -> AttentionTileSizes:
    """Returns the largest tile sizes for which registers and shared memory suffice."""
    if isinstance(target, GpuTarget) and target.clusters and _suits_warp_groups(attention):
        return _warp_group_sizes(attention, target.shared_bytes - RESERVED_BYTES)
    size = element_bytes(attention.element)
    matrix_unit = size < 4 or attention.precision != "exact"
    width, features = pad_extent(attention.width), pad_extent(attention.features)
    is_short = max(width, features) <= SHORT
    if matrix_unit:
        queries = pad_extent(attention.queries, _most_queries(attention))
        # With a separate mask for each query a warp lacks the registers for twice the rows.
        twice = is_short and size < 4 and queries == MOST_QUERIES and not attention.masks_queries
        warps = queries // (2 * ROWS if twice else ROWS)
    else:
        queries = pad_extent(attention.queries, FEW_QUERIES if is_short else FEW_QUERIES // 2)
        warps = min(SCALAR_WARPS, queries // SCALAR_ROWS)
    fitting = STAGE_BYTES[size] // ((width + features) * size)
    return AttentionTileSizes(
        queries,
        pad_extent(attention.keys, min(MOST_KEYS, 1 << fitting.bit_length() - 1)),
        width,
        features,
        warps,
        matrix_unit,
        matrix_unit and width * size <= REGISTER_BYTES,
    )


def _suits_warp_groups(attention: Attention) -> bool:
    """Whether `wgmma` and TMA can be used: elements of 16 bits, in rows of whole units."""
    if element_bytes(attention.element) != 2 or attention.queries <= FEW_QUERIES // 2:
        return False
    return attention.width * 2 % UNIT_BYTES == 0 and attention.features * 2 % UNIT_BYTES == 0


def _warp_group_sizes(attention: Attention, shared_bytes: int) -> AttentionTileSizes:
    """Returns the sizes for warp groups, which have 64 queries each, in shared memory."""
    width, features = pad_extent(attention.width), pad_extent(attention.features)
    queries = pad_extent(attention.queries, _most_queries(attention))
    has_room = attention.mask is None and max(width, features) <= LONG
    keys = pad_extent(attention.keys, SCORES if has_room else FEW_SCORES)
    rest = shared_bytes - queries * width * 2
    stages = min(MOST_STAGES, rest // (keys * (width + features) * 2))
    warps, is_long = queries // ROWS, max(width, features) >= LONG
    return AttentionTileSizes(
        queries,
        keys,
        width,
        features,
        warps,
        True,
        False,
        stages,
        overlap=True,
        ping_pong=warps > GROUP and max(width, features) <= LONG,
        cluster=2 if is_long and _sees_all_keys(attention, queries, keys) else 1,
    )


def _sees_all_keys(attention: Attention, queries: int, keys: int) -> bool:
    """Whether pairs of tiles of `queries` use the same tiles of `keys`, and more than one."""
    every = not attention.causal or attention.mask is not None
    return every and attention.keys > keys and -(-attention.queries // queries) % 2 == 0


def pad_extent(extent: int, most: int = 1 << 30) -> int:
    """Returns the next power of two, at least 16 and at most `most`."""
    return min(most, max(LEAST, 1 << (extent - 1).bit_length()))


def _most_queries(attention: Attention) -> int:
    thread_blocks = prod(attention.leading) * -(-attention.queries // MOST_QUERIES)
    return MOST_QUERIES if thread_blocks >= BUSY_THREAD_BLOCKS else FEW_QUERIES
