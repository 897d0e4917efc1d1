"""How much of an attention a block computes at a time, and by how many warps."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlc.passes.accel.attention.problem import Attention
from mlc.passes.accel.common.matrix_layouts import ROWS
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.common.tensor_maps import UNIT_BYTES
from mlc.passes.accel.common.warpgroups import GROUP
from mlc.targets import GpuTarget, Target

# The shortest dim of a tile: what tensor units multiply at a time.
LEAST = 16
MOST_QUERIES, FEW_QUERIES, MOST_KEYS = 128, 64, 64
# Blocks that keep all multiprocessors of a GPU busy; where there are fewer, they have fewer queries.
BLOCKS = 128
# Of keys and values in shared memory, by the bytes of a number, and how many times they lie there. Numbers of
# 4 bytes are loaded one by one, and each address takes a register.
STAGE_BYTES, STAGES = {2: 32 << 10, 4: 16 << 10}, 2
# Where hardware copies tiles and products are asynchronous: keys whose scores fit in registers beside the
# result, and fewer beside a mask too, or beside the result of heads longer than `LONG`; and stages.
SCORES, FEW_SCORES, LONG, MOST_STAGES = 128, 64, 128, 4
# Of shared memory, for semaphores, and a number of each thread.
RESERVED_BYTES = 2 << 10
# Of a query that a warp keeps in registers; longer ones stay in shared memory.
REGISTER_BYTES = 256
# Numbers of queries, keys and values of which a warp can have more rows.
SHORT = 64
# Without tensor units: warps of a block, and rows of a warp at least.
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
    # Whether the tensor units multiply: weights then stay in registers.
    tensor_units: bool
    queries_in_registers: bool
    # Blocks of keys and values that are on their way or computed with.
    stages: int = STAGES
    # Whether the softmax of a block of keys runs beside the product of the one before with its values.
    overlap: bool = False
    # Whether groups of warps start their products one after the other, so that one has its softmax while the
    # other one's products run.
    turns: bool = False
    # Neighbouring tiles of queries whose blocks copy keys and values for each other.
    cluster: int = 1


def sizes_of(attention: Attention, target: Target) -> AttentionTileSizes:
    """As large as registers and shared memory allow."""
    if isinstance(target, GpuTarget) and target.clusters and _suits_groups(attention):
        return _sizes_for_groups(attention, target.shared_bytes - RESERVED_BYTES)
    size = element_bytes(attention.element)
    tensor_units = size < 4 or attention.precision != "exact"
    width, features = padded(attention.width), padded(attention.features)
    is_short = max(width, features) <= SHORT
    if tensor_units:
        queries = padded(attention.queries, _most_queries(attention))
        # Beside a mask of its own for each query a warp lacks the registers for twice the rows.
        twice = is_short and size < 4 and queries == MOST_QUERIES and not attention.masks_queries
        warps = queries // (2 * ROWS if twice else ROWS)
    else:
        queries = padded(attention.queries, FEW_QUERIES if is_short else FEW_QUERIES // 2)
        warps = min(SCALAR_WARPS, queries // SCALAR_ROWS)
    fitting = STAGE_BYTES[size] // ((width + features) * size)
    return AttentionTileSizes(
        queries,
        padded(attention.keys, min(MOST_KEYS, 1 << fitting.bit_length() - 1)),
        width,
        features,
        warps,
        tensor_units,
        tensor_units and width * size <= REGISTER_BYTES,
    )


def _suits_groups(attention: Attention) -> bool:
    """Whether groups of warps can multiply, and hardware copy: numbers of 16 bits, in rows of whole units."""
    if element_bytes(attention.element) != 2 or attention.queries <= FEW_QUERIES // 2:
        return False
    return attention.width * 2 % UNIT_BYTES == 0 and attention.features * 2 % UNIT_BYTES == 0


def _sizes_for_groups(attention: Attention, shared_bytes: int) -> AttentionTileSizes:
    """Each group of warps has 64 queries, which lie in shared memory."""
    width, features = padded(attention.width), padded(attention.features)
    queries = padded(attention.queries, _most_queries(attention))
    has_room = attention.mask is None and max(width, features) <= LONG
    keys = padded(attention.keys, SCORES if has_room else FEW_SCORES)
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
        turns=warps > GROUP and max(width, features) <= LONG,
        cluster=2 if is_long and _sees_all_keys(attention, queries, keys) else 1,
    )


def _sees_all_keys(attention: Attention, queries: int, keys: int) -> bool:
    """Whether pairs of tiles of `queries` meet the same blocks of `keys`, and more than one."""
    every = not attention.causal or attention.mask is not None
    return every and attention.keys > keys and -(-attention.queries // queries) % 2 == 0


def padded(extent: int, most: int = 1 << 30) -> int:
    """The next power of two, at least 16 and at most `most`."""
    return min(most, max(LEAST, 1 << (extent - 1).bit_length()))


def _most_queries(attention: Attention) -> int:
    blocks = prod(attention.leading) * -(-attention.queries // MOST_QUERIES)
    return MOST_QUERIES if blocks >= BLOCKS else FEW_QUERIES
