"""The default schedule of attention in one kernel: a block of queries of one head at a time.

Per block: its queries are transposed, so that vectors run along them; scores of all keys, a register tile at
a time, go into a local buffer; softmax along its columns; then the product with the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

from mlc.bindings import ir
from mlc.passes.common.computation import Computation, axis_of
from mlc.passes.common.kernel_functions import ONE_THREAD
from mlc.passes.common.register_tiles import best_rows, tile_columns, vectors
from mlc.passes.common.target import accumulators, lanes, registers, target_of
from mlc.passes.graph.attention.kernel import QUERIES, TOO_MANY_KEYS, block_obstacle, scratch_bytes
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import positions
from mlc.passes.schedule.cpu.attention_parts import PARTS, find_scores, name_attention_parts
from mlc.passes.schedule.cpu.contraction import ContractionSchedule, RegisterTile
from mlc.targets import Target

# Lines with the same index share the ways of a set; L2 caches have 8 to 20.
WAYS = 16


def stays_in_l2(rows: int, stride: int, target: Target) -> bool:
    """Whether two operands of `rows` rows, `stride` bytes from row to row, stay in the L2 cache: the rows use
    only the sets to which multiples of the stride map."""
    return 2 * rows * gcd(stride, target.l2 // WAYS) <= target.l2


# Vectors of scores per iteration of the softmax's loops: independent ones hide latencies, and the exponential
# needs registers for each.
VECTORS_AT_ONCE = {16: 4, 32: 8}
# Iterations of the parallel loop per core that are enough to share the work evenly, and the cores assumed if
# the target does not specify them.
ITERATIONS_PER_CORE, USUAL_CORES = 4, 8
# The least number of blocks of queries that a copy of the values pays for; bytes of the kernel's large
# buffers with the copy: a few small ones are on the stack, too.
LEAST_BLOCKS, COPY_BYTES = 4, 704 << 10
ELEMENT_BYTES = 4


def schedule_attention(kernel: ir.Operation) -> bool:
    """Schedules a kernel with `scores` and `values`; returns False if there are none, or the scores of a
    block of queries would not stay in the caches."""
    scores = find_scores(kernel)
    parts = None if scores is None or _has_too_many_keys(scores) else name_attention_parts(kernel)
    if parts is None:
        return False
    AttentionSchedule(kernel, *parts).build()
    return True


def _has_too_many_keys(scores: Computation) -> bool:
    keys, queries = (scores.extents[dim] for dim in scores.parallel[-2:])
    return block_obstacle(queries, scores.extents[scores.reductions[0]], keys) == TOO_MANY_KEYS


def share_of_queries(queries: int, block: int, parts: int) -> int:
    """Returns the queries of a head per iteration of the parallel loop: the queries are divided into `parts`
    parts or, failing that, as many as can be. Parts are equal, as threads must not write each other's
    queries; their last blocks may compute 1/8 of the queries again."""

    def work(share: int) -> int:
        return queries // share * -(-share // block) * block

    shares = [index for index in range(queries, block - 1, -1) if queries % index == 0]
    fitting = [share for share in shares if work(share) * 8 <= work(queries) * 9]
    return next((share for share in fitting if queries // share >= parts), fitting[-1])


class AttentionSchedule:
    """Emits the primitives of the schedule."""

    def __init__(
        self, kernel: ir.Operation, root: Computation, scores: Computation, values: Computation
    ) -> None:
        self.target: Target = target_of(kernel)
        self.scores, self.values = scores, values
        *_, self.keys, self.queries = [scores.extents[dim] for dim in scores.parallel]
        self.block = min(QUERIES, self.queries)
        # A dynamic batch may be 1.
        heads = prod(scores.extents[dim] for dim in scores.parallel[:-2] if dim not in scores.dynamic)
        parts = -(-ITERATIONS_PER_CORE * (self.target.cores or USUAL_CORES) // heads)
        parts = 1 if ONE_THREAD in kernel.attributes else parts
        self.share = share_of_queries(self.queries, self.block, parts)
        contraction = ContractionSchedule(root, values, self.target)
        assert contraction.matches(), "the root scales, and may transpose, the values"
        self.root_dims = contraction.root_dims
        self.builder = ScheduleBuilder(kernel)
        self.uneven: list[ir.Value] = []
        self.blocks = {name: self.builder.get_block(name) for name in ("root", *PARTS)}

    def build(self) -> None:
        """Emits the schedule."""
        columns = self.values.extents[self.values.parallel[-1]]
        scores = self.register_tile(self.keys, self.block)
        values = self.register_tile(self.block, columns)
        self.tile_blocks()
        self.tile_products(scores, values)
        # Only now: `compute_at` takes one loop, not copies of it.
        self.peel()
        self.tile_queries()
        self.tile_softmax(scores.width)
        self.peel()
        for name, anchor, tile in (("scores", self.scores, scores), ("values", self.values, values)):
            schedule = ContractionSchedule(anchor, anchor, self.target)
            self.blocks[name] = schedule.tile_reductions(self.builder, self.blocks[name], tile)
        # First alone: vectors that are transposed now are transposed by shuffles.
        self.builder.vectorize([self.blocks.pop("queries")])
        self.builder.vectorize(list(self.blocks.values()))

    def tile_blocks(self) -> None:
        """Makes the loops over heads and shares of a head's queries parallel, around one over blocks of
        queries."""
        *leading, queries, _ = self.values.parallel
        outside = {self.root_dims[dim]: 1 for dim in leading}
        if self.share < self.queries:
            outside[self.root_dims[queries]] = self.share
        loop = self.tile_outside(outside, "parallel")
        if self.should_copy_values():
            self.builder.cache_read(self.blocks["values"], loop, 1, "values_copy")
        if self.share > self.block:
            loop = self.tile_outside({self.root_dims[queries]: self.block}, "sequential")
            if self.share % self.block:
                self.builder.shift_inwards(loop)

    def tile_products(self, scores: RegisterTile, values: RegisterTile) -> None:
        """Tiles both products and the computations that read them by register tiles."""
        *_, queries, column = self.values.parallel
        key, query = self.scores.parallel[-2:]
        parts: tuple[str, ...] = ("scores", "scores_init")
        self.tile("masked", query, scores.width, self.block, parts)
        self.tile("masked", key, scores.rows, self.keys, parts)
        parts = ("values", "values_init")
        self.tile("root", self.root_dims[column], values.width, self.values.extents[column], parts)
        self.tile("root", self.root_dims[queries], values.rows, self.block, parts)

    def should_copy_values(self) -> bool:
        """Whether a head's values, which all blocks of queries read, are so far apart, between those of other
        heads, that they evict each other from the L2 cache. There must be room for the copy."""
        source, read = self.values.inputs[1], self.values.maps[1]
        shape = list(ir.RankedTensorType(source.type).shape)
        at = axis_of(read, self.values.reductions[0])
        stride, features = ELEMENT_BYTES * prod(shape[at + 1 :]), shape[-1]
        width = self.scores.extents[self.scores.reductions[0]]
        scratch = scratch_bytes(self.block, width, self.keys) + ELEMENT_BYTES * self.keys * features
        return (
            self.share >= LEAST_BLOCKS * self.block
            and stride > ELEMENT_BYTES * features
            and not stays_in_l2(self.keys, stride, self.target)
            and scratch <= COPY_BYTES
        )

    def tile_outside(self, sizes: dict[int, int], mode: str) -> ir.Value:
        """Tiles the root, and computes everything in the loop."""
        self.blocks["root"], loop = self.builder.tile(self.blocks["root"], positions(sizes), mode)
        for part in PARTS:
            self.blocks[part] = self.builder.compute_at(self.blocks[part], loop)
        return loop

    def tile(self, name: str, dim: int, size: int, extent: int, parts: Sequence[str] = ()) -> None:
        """Tiles a dim of `extent` points by `size`; `parts` are computed in the loop."""
        if extent <= size:
            return
        self.blocks[name], loop = self.builder.tile(self.blocks[name], positions({dim: size}), "sequential")
        for part in parts:
            self.blocks[part] = self.builder.compute_at(self.blocks[part], loop)
        if extent % size:
            self.uneven.append(loop)

    def peel(self) -> None:
        """Peels the partial last iteration of the loops that have one, outer ones first."""
        for loop in self.uneven:
            self.builder.peel(loop)
        self.uneven = []

    def tile_queries(self) -> None:
        """Tiles the queries by squares of vectors, transposed in registers."""
        *_, depth, column = range(self.scores.maps[0].n_dims - 1)
        width = lanes(self.target)
        self.tile("queries", depth, width, self.scores.extents[self.scores.reductions[0]])
        self.tile("queries", column, width, self.block)

    def tile_softmax(self, width: int) -> None:
        """Tiles the softmax by a few vectors of each of a few rows of scores."""
        *_, keys, last = range(self.scores.maps[0].n_dims - 1)
        most = max(count for limit, count in VECTORS_AT_ONCE.items() if limit <= registers(self.target))
        rows = max(1, most // vectors(width, lanes(self.target)))
        for name, query, key in (("top", keys, last), ("powers", last, keys), ("total", keys, last)):
            self.tile(name, query, width, self.block)
            self.tile(name, key, rows, self.keys)

    def register_tile(self, rows: int, columns: int) -> RegisterTile:
        """Returns a register tile of at most two vectors of columns, with the rows that fit the registers."""
        width = tile_columns(columns, lanes(self.target), registers(self.target))
        width = min(width, 2 * lanes(self.target))
        most = accumulators(self.target, vectors(width, lanes(self.target)))
        return RegisterTile(1, width, 0, best_rows(rows, width, lanes(self.target), most))
