"""The default schedule of attention with dynamic dims: by blocks of queries and keys, unless only batches and
heads are dynamic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from mlc.bindings import ir
from mlc.passes.common.computation import Computation
from mlc.passes.common.register_tiles import best_rows, open_rows, tile_columns, vectors
from mlc.passes.common.target import accumulators, lanes, registers, target_of
from mlc.passes.graph.attention.kernel import QUERIES, block_obstacle
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.candidates import Candidate
from mlc.passes.schedule.common.contractions import positions
from mlc.passes.schedule.cpu.attention import AttentionSchedule
from mlc.passes.schedule.cpu.attention_parts import find_scores, name_given_parts, name_queries
from mlc.passes.schedule.cpu.contraction import ContractionSchedule
from mlc.passes.schedule.structured.stream_keys import PARTS
from mlc.targets import Target

# Keys of a block, and blocks of queries, which read the same keys, in an iteration of the parallel loop.
KEYS, BLOCKS = 512, 4


def attention_candidates(kernel: ir.Operation) -> Iterator[Candidate]:
    """Yields the schedules of a kernel with `scores` and `values`, none for another one."""
    yield "attention", partial(_schedule_whole_scores, kernel)
    yield "streamed-attention", partial(schedule_streamed, kernel)


def _schedule_whole_scores(kernel: ir.Operation) -> bool:
    found = find_scores(kernel)
    parts = name_given_parts(kernel) if found is not None and _holds_scores(found) else None
    if parts is None:
        return False
    root, scores, values = parts
    name_queries(scores)
    AttentionSchedule(kernel, root, Computation(scores.op), values).build()
    return True


def schedule_streamed(kernel: ir.Operation) -> bool:
    """Schedules a kernel with `scores` and `values` by blocks of keys; returns False if there are none."""
    parts = name_given_parts(kernel)
    if parts is None:
        return False
    StreamedAttention(kernel, *parts).build()
    return True


def _holds_scores(scores: Computation) -> bool:
    """Whether the scores of a block of queries have a static size, and fit."""
    lengths = [*scores.parallel[-2:], scores.reductions[0]]
    if not scores.dynamic.isdisjoint(lengths):
        return False
    keys, queries, width = (scores.extents[dim] for dim in lengths)
    return block_obstacle(queries, width, keys) is None


class StreamedAttention:
    """Emits the primitives of the schedule."""

    def __init__(
        self, kernel: ir.Operation, root: Computation, scores: Computation, values: Computation
    ) -> None:
        self.target: Target = target_of(kernel)
        self.scores, self.values, self.root = scores, values, root
        contraction = ContractionSchedule(root, values, self.target)
        assert contraction.matches(), "the root scales, and may transpose, the values"
        self.root_dims = contraction.root_dims
        self.builder = ScheduleBuilder(kernel)
        self.blocks = {name: self.builder.get_block(name) for name in PARTS}

    def build(self) -> None:
        """Emits the schedule."""
        *leading, queries, _ = self.values.parallel
        outside = {self.root_dims[dim]: 1 for dim in leading}
        row = self.root_dims[queries]
        self.outside({**outside, row: BLOCKS * QUERIES}, "parallel")
        loop = self.outside({row: QUERIES}, "sequential")
        self.builder.stream_keys(loop, QUERIES, KEYS)
        names = ("queries", "shift", "scale", "highest", "total_scaled", "values_scaled", *PARTS)
        self.blocks = {name: self.builder.get_block(name) for name in names}
        self.tile_scores()
        self.tile_values()
        self.tile_squares()
        count = len(leading)
        # Vectors of queries, or of features, row by row: the number of keys is dynamic.
        rows = {"top": count + 1, "total": count + 1, "powers": count, "values_scaled": count}
        for name, dim in rows.items():
            self.tile(name, {dim: 1})
        self.tile("root", {row: 1})
        self.reduce("scores", self.scores)
        self.reduce("values", self.values)
        self.builder.vectorize([self.blocks.pop("queries")])
        self.builder.vectorize(list(self.blocks.values()))

    def outside(self, sizes: dict[int, int], mode: str) -> ir.Value:
        """Tiles the root, and computes everything in the loop."""
        self.blocks["root"], loop = self.builder.tile(self.blocks["root"], positions(sizes), mode)
        for part in reversed(PARTS[:-1]):
            self.blocks[part] = self.builder.compute_at(self.blocks[part], loop)
        return loop

    def tile(self, name: str, sizes: dict[int, int], parts: Sequence[str] = ()) -> ir.Value:
        """Tiles a block; `parts` are computed in the loop."""
        self.blocks[name], loop = self.builder.tile(self.blocks[name], positions(sizes), "sequential")
        for part in parts:
            self.blocks[part] = self.builder.compute_at(self.blocks[part], loop)
        return loop

    def width(self, columns: int) -> int:
        """Returns the columns of a register tile: at most two vectors."""
        return min(tile_columns(columns, lanes(self.target), registers(self.target)), 2 * lanes(self.target))

    def tile_scores(self) -> None:
        """Tiles the scores by register tiles."""
        key, query = self.scores.parallel[-2:]
        width = self.width(QUERIES)
        most = accumulators(self.target, vectors(width, lanes(self.target)))
        parts = ("scores", "scores_init")
        if width < QUERIES:
            self.tile("masked", {query: width}, parts)
        self.builder.balance(self.tile("masked", {key: open_rows(width, lanes(self.target), most)}, parts))

    def tile_values(self) -> None:
        """Tiles the product with the values by register tiles."""
        query, column = self.values.parallel[-2:]
        columns = self.values.extents[column]
        width = self.width(columns)
        most = accumulators(self.target, vectors(width, lanes(self.target)))
        rows = best_rows(QUERIES, width, lanes(self.target), most)
        loops = []
        for dim, size, extent in ((column, width, columns), (query, rows, QUERIES)):
            if size < extent:
                loop = self.tile("values", {dim: size})
                loops += [loop] if extent % size else []
        for loop in loops:
            self.builder.peel(loop)

    def tile_squares(self) -> None:
        """Tiles the queries by squares, transposed in registers."""
        *_, depth, column = range(self.scores.maps[0].n_dims - 1)
        width = lanes(self.target)
        for dim, extent in ((depth, self.scores.extents[self.scores.reductions[0]]), (column, QUERIES)):
            if extent > width:
                loop = self.tile("queries", {dim: width})
                if extent % width:
                    self.builder.peel(loop)

    def reduce(self, name: str, anchor: Computation) -> None:
        """Tiles the reduction of a product, along the dynamic number of keys by 1."""
        dim = anchor.reductions[0]
        extent, step = anchor.extents[dim], 2 if name == "scores" else 1
        step = step if extent % step == 0 else 1
        self.tile(name, {dim: step})
