"""The primitive stream_keys: attention in a loop over blocks of keys, with the online softmax.

The softmax of a block is relative to the largest score so far; if a later block has a larger one, the sums
are rescaled (Milakov and Gimelshein, arXiv 1805.02867; FlashAttention, arXiv 2205.14135).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import affine, arith, ir, linalg, scf, tensor
from mlc.dialects import tloop
from mlc.passes.common.cloning import clone_body
from mlc.passes.common.computation import Computation, axis_of, dim_position
from mlc.passes.common.linalg_builders import affine_map, constant, dims, generic, index_value
from mlc.passes.common.named_blocks import BLOCK_TAG, name_block, tagged_blocks
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import apply_patterns


def size_of(value: ir.Value, axis: int) -> ir.Value:
    """Builds the extent of a dim as a value."""
    return tensor.DimOp(value, index_value(axis)).result


def size_like(value: ir.Value, axis: int, size: int) -> int | ir.Value:
    """Returns `size`, or the extent of `value` as a value if it is dynamic."""
    return size_of(value, axis) if size == ir.ShapedType.get_dynamic_size() else size


def remaining(most: int, end: ir.Value, offset: ir.Value) -> ir.Value:
    """Builds `min(end - offset, most)`."""
    rest = ir.AffineExpr.get_symbol(0) - ir.AffineExpr.get_dim(0)
    least = ir.AffineMap.get(1, 1, [rest, ir.AffineExpr.get_constant(most)])
    return affine.AffineMinOp(least, [offset, end]).result


def part_of(value: ir.Value, axis: int, offset: ir.Value, size: ir.Value) -> ir.Value:
    """Builds the slice of `size` elements from `offset` on along one axis, and all along the others."""
    type_, dynamic = ir.RankedTensorType(value.type), ir.ShapedType.get_dynamic_size()
    shape = [dynamic if dim == axis else extent for dim, extent in enumerate(type_.shape)]
    sizes = _dynamic_sizes(value, shape, axis, size)
    offsets = [dynamic if dim == axis else 0 for dim in range(type_.rank)]
    result = ir.RankedTensorType.get(shape, type_.element_type)
    ones = [1] * type_.rank
    return tensor.ExtractSliceOp(result, value, [offset], sizes, [], offsets, shape, ones).result


def _dynamic_sizes(value: ir.Value, shape: Sequence[int], axis: int, size: ir.Value) -> list[ir.Value]:
    """Returns the dynamic extents of `shape`: `size` along the axis, else those of `value`."""
    dynamic = [dim for dim, extent in enumerate(shape) if extent == ir.ShapedType.get_dynamic_size()]
    return [size if dim == axis else size_of(value, dim) for dim in dynamic]


def insert_first(source: ir.Value, into: ir.Value, axis: int, size: ir.Value) -> ir.Value:
    """Builds `into` with `source`, which has `size` elements along one axis, in its first elements."""
    type_ = ir.RankedTensorType(source.type)
    sizes = _dynamic_sizes(source, type_.shape, axis, size)
    shape, zeros, ones = list(type_.shape), [0] * type_.rank, [1] * type_.rank
    return tensor.InsertSliceOp(source, into, [], sizes, [], zeros, shape, ones).result


class AttentionPieces:
    """The builder of parts of attention for blocks of `queries` queries and `keys` keys, like those in
    `parts`."""

    def __init__(self, parts: dict[str, ir.Operation], queries: int, keys: int) -> None:
        self.parts, self.queries, self.keys = parts, queries, keys
        self.scores = Computation(parts["scores"])
        *self.outer, self.key, self.query, self.depth = range(self.scores.maps[0].n_dims)
        self.element = ir.RankedTensorType(self.scores.result.type).element_type
        self.features = ir.RankedTensorType(parts["values"].result.type).shape[-1]
        self.ones = [1] * len(self.outer)

    def pad(self, source: ir.Value, axis: int, count: ir.Value) -> ir.Value:
        """Pads `source`, of `count` queries, with zeros to a full block."""
        shape = list(ir.RankedTensorType(source.type).shape)
        shape[axis] = self.queries
        zero = constant(self.element, 0)
        empty = tensor.EmptyOp([size_like(source, dim, size) for dim, size in enumerate(shape)], self.element)
        return insert_first(source, linalg.fill(zero, outs=[empty.result]), axis, count)

    def transpose(self, queries: ir.Value) -> ir.Value:
        """Transposes the queries of the block to [..., depth, query]."""
        read, rank = self.scores.maps[1], len(self.outer) + 2
        new_dim = {**{dim: dim for dim in self.outer}, self.query: rank - 1, self.depth: rank - 2}
        results = [
            result if dim is None else ir.AffineExpr.get_dim(new_dim[dim])
            for result, dim in ((result, dim_position(result)) for result in read.results)
        ]
        width = ir.RankedTensorType(queries.type).shape[axis_of(read, self.depth)]
        output = self.empty([*self.ones, width, self.queries])
        identity = affine_map(rank, dims(rank))
        value = generic([queries], [affine_map(rank, results)], output, identity, lambda new, _old: new)
        return name_value(value, "queries")

    def empty(self, shape: Sequence[int | ir.Value]) -> ir.Value:
        """Builds a `tensor.empty`."""
        return tensor.EmptyOp(list(shape), self.element).result

    def fill(self, name: str, shape: Sequence[int | ir.Value], value: float) -> ir.Value:
        """Builds a tensor of equal elements, as the computation called `name`."""
        scalar, rank = constant(self.element, value), len(shape)
        identity = affine_map(rank, dims(rank))
        made = generic([], [], self.empty(shape), identity, lambda _old: scalar)
        return name_value(made, name)

    def again(
        self, name: str, inputs: Sequence[ir.Value], output: ir.Value, maps: Sequence[ir.AffineMap] = ()
    ) -> ir.Value:
        """Clones a part for other operands."""
        old = Computation(self.parts[name])
        *reads, write = maps or old.maps
        body = self.parts[name].regions[0].blocks[0]

        def scalars(*given: ir.Value) -> ir.Value:
            return clone_body(body, dict(zip(body.arguments, given, strict=True)))[0]

        return name_value(generic(inputs, reads, output, write, scalars, old.reductions), name)

    def per_query(
        self, name: str, inputs: Sequence[ir.Value], output: ir.Value, body: Callable[..., ir.Value]
    ) -> ir.Value:
        """Builds a computation on one scalar per query, called `name`."""
        rank = len(self.outer) + 1
        identity = affine_map(rank, dims(rank))
        return name_value(generic(inputs, [identity] * len(inputs), output, identity, body), name)


def name_value(value: ir.Value, name: str) -> ir.Value:
    """Names the computation of a value, for schedules; returns the value."""
    name_block(value.owner.operation, name)
    return value


INFINITY = float("inf")
PARTS = (
    *("scores_init", "scores", "masked", "top_init", "top", "powers"),
    *("total_init", "total", "inverse", "values_init", "values", "root"),
)


def stream_keys(op: ir.Operation, state: ScheduleState) -> None:
    """Rewrites the parts of attention, which are all in one loop's body."""
    step = tloop.StreamKeys(op)
    parts = {block.attributes[BLOCK_TAG].value: block for block in tagged_blocks(state.kernel)}
    missing = [name for name in PARTS if name not in parts]
    if missing:
        raise StepError(f"the kernel has no block '{missing[0]}'")
    root = parts["root"]
    with ir.InsertionPoint(root), root.location:
        KeyStreamBuilder(parts, step.queries, step.keys).build()
    for name in reversed(PARTS[:-1]):
        parts[name].erase()
    state.run(apply_patterns("canonicalization", "linalg.tiling_canonicalization"))


class KeyStreamBuilder(AttentionPieces):
    """The builder of the loop over blocks of keys, for a padded block of queries."""

    def build(self) -> None:
        """Builds the parts for all keys before the root, which then reads its queries of them."""
        source, read = self.scores.inputs[1], self.scores.maps[1]
        count = size_of(source, axis_of(read, self.query))
        columns = self.transpose(self.pad(source, axis_of(read, self.query), count))
        total_keys = size_of(self.scores.inputs[0], axis_of(self.scores.maps[0], self.key))
        loop = scf.ForOp(index_value(0), total_keys, index_value(self.keys), self.initial())
        with ir.InsertionPoint(loop.body):
            scf.YieldOp(self.block(loop, columns, total_keys, count))
        top, total, values = loop.results
        self.finish(values, self.inverse(top, total, total_keys), count)

    def initial(self) -> list[ir.Value]:
        """Builds largest scores, sums of powers and sums of values before the first key."""
        row = [*self.ones, self.queries]
        return [
            self.fill("top_init", row, -INFINITY),
            self.fill("total_init", row, 0),
            self.fill("values_init", [*row, self.features], 0),
        ]

    def block(
        self, loop: scf.ForOp, columns: ir.Value, total_keys: ir.Value, count: ir.Value
    ) -> list[ir.Value]:
        """Builds the sums after a block of keys: largest scores, powers, values."""
        offset = loop.induction_variable
        top, total, values = loop.inner_iter_args
        size = remaining(self.keys, total_keys, offset)
        masked = self.mask(self.products(columns, offset, size), offset, size, count)
        row = [*self.ones, self.queries]
        among = self.again("top", [masked], self.fill("top_init", row, -INFINITY))
        shift = self.per_query("shift", [among, top], self.empty(row), self.shift)
        powers = self.again("powers", [shift], masked)
        scale = self.rescaling(shift, top)
        total = self.per_query("total_scaled", [scale], total, _product)
        scaled = self.scale(scale, values)
        return [
            # In the buffer of the largest score before, which is dead.
            self.per_query("highest", [among], top, lambda new, old: larger(old, new)),
            self.again("total", [powers], total),
            self.again("values", [powers, self.values(offset, size)], scaled),
        ]

    def shift(self, new: ir.Value, old: ir.Value, _output: ir.Value) -> ir.Value:
        """Returns the score to subtract: the largest one. While all are masked, 0: powers are 0, not NaN."""
        highest = larger(old, new)
        low, zero = constant(self.element, -INFINITY), constant(self.element, 0)
        return arith.select(arith.cmpf(arith.CmpFPredicate.OEQ, highest, low), zero, highest)

    def products(self, columns: ir.Value, offset: ir.Value, size: ir.Value) -> ir.Value:
        """Builds the scores of a block of keys."""
        scores = self.scores
        keys = part_of(scores.inputs[0], axis_of(scores.maps[0], self.key), offset, size)
        start = self.fill("scores_init", [*self.ones, size, self.queries], 0)
        order = [*self.outer, self.depth, self.query]
        read = affine_map(scores.maps[0].n_dims, [ir.AffineExpr.get_dim(dim) for dim in order])
        return self.again("scores", [keys, columns], start, [scores.maps[0], read, scores.maps[2]])

    def values(self, offset: ir.Value, size: ir.Value) -> ir.Value:
        """Builds the values of a block of keys."""
        old = Computation(self.parts["values"])
        return part_of(old.inputs[1], axis_of(old.maps[1], old.reductions[0]), offset, size)

    def mask(self, scores: ir.Value, offset: ir.Value, size: ir.Value, count: ir.Value) -> ir.Value:
        """Masks the scores of a block, in a part of a buffer for a full one."""
        old = Computation(self.parts["masked"])
        key, query = self.key, self.query
        inputs = []
        for value, read in zip(old.inputs, old.maps, strict=False):
            if value == self.scores.result:
                inputs.append(scores)
                continue
            axes = [dim_position(result) for result in read.results]
            part = part_of(value, axes.index(key), offset, size) if key in axes else value
            inputs.append(self.pad(part, axes.index(query), count) if query in axes else part)
        whole = self.empty([*self.ones, self.keys, self.queries])
        output = part_of(whole, len(self.outer), index_value(0), size)
        made = self.again("masked", inputs, output)
        for op in collect_ops(made.owner.operation, linalg.Index.NAME):
            index = linalg.Index(op)
            if index.dim == key:
                with ir.InsertionPoint.after(op), op.location:
                    moved = arith.addi(index.result, offset)
                index.result.replace_all_uses_except(moved, [moved.owner.operation])
        return made

    def rescaling(self, shift: ir.Value, top: ir.Value) -> ir.Value:
        """Builds the factor of the sums so far: the power of the largest score before, relative to the
        shift."""
        body = self.parts["powers"].regions[0].blocks[0]
        return self.per_query(
            "scale",
            [shift, top],
            self.empty([*self.ones, self.queries]),
            lambda x, old, _out: clone_body(body, dict(zip(body.arguments, (x, old), strict=True)))[0],
        )

    def scale(self, scale: ir.Value, values: ir.Value) -> ir.Value:
        """Rescales the sums of values."""
        rank = len(self.outer) + 2
        row, identity = affine_map(rank, dims(rank)[:-1]), affine_map(rank, dims(rank))
        return name_value(generic([scale], [row], values, identity, _product), "values_scaled")

    def inverse(self, top: ir.Value, total: ir.Value, total_keys: ir.Value) -> ir.Value:
        """Builds the reciprocals of the sums; NaN if all keys of a query are masked, as is their softmax."""
        low, one = constant(self.element, -INFINITY), constant(self.element, 1)
        nothing = arith.cmpi(arith.CmpIPredicate.eq, total_keys, index_value(0))
        instead = arith.select(nothing, one, constant(self.element, float("nan")))

        def body(highest: ir.Value, value: ir.Value, _old: ir.Value) -> ir.Value:
            masked = arith.cmpf(arith.CmpFPredicate.OEQ, highest, low)
            return arith.divf(one, arith.select(masked, instead, value))

        return self.per_query("inverse", [top, total], self.empty([*self.ones, self.queries]), body)

    def finish(self, values: ir.Value, inverse: ir.Value, count: ir.Value) -> None:
        """Lets the root read the queries without padding."""
        root, axis = self.parts["root"], len(self.outer)
        found = {self.parts["values"].result: values, self.parts["inverse"].result: inverse}
        for position, value in enumerate(root.operands):
            if value in found:
                root.operands[position] = part_of(found[value], axis, index_value(0), count)


def _product(scale: ir.Value, value: ir.Value) -> ir.Value:
    return arith.mulf(scale, value)


def larger(a: ir.Value, b: ir.Value) -> ir.Value:
    """The larger value; the sign of a zero does not matter."""
    return arith.maximumf(a, b, fastmath=arith.FastMathFlags.nsz)
