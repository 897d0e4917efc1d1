"""`stream_keys` of attention: blocks of keys, one after the other, with sums that are kept up to date.

The softmax of a block is relative to the largest score so far; where a later block has a larger one, the sums
are scaled (online softmax: Milakov and Gimelshein, arXiv 1805.02867; FlashAttention, arXiv 2205.14135).

What attention for one block of queries and keys is made of.

Parts of tensors along one axis, where only running tells how long they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import affine, arith, ir, linalg, scf, tensor
from mlc.passes.common.cloning import clone_body
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.linalg_builders import affine_map, constant, dims, generic, index_value
from mlc.passes.common.named_blocks import BLOCK_TAG, name_block, tagged_blocks
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import apply_patterns


def size_of(value: ir.Value, axis: int) -> ir.Value:
    """A dim of a tensor as a value."""
    return tensor.DimOp(value, index_value(axis)).result


def size_like(value: ir.Value, axis: int, size: int) -> int | ir.Value:
    """A size of a shape that is `value`'s but for some numbers."""
    return size_of(value, axis) if size == ir.ShapedType.get_dynamic_size() else size


def least(most: int, end: ir.Value, place: ir.Value) -> ir.Value:
    """How much there is from `place` to `end`, at most `most`."""
    rest = ir.AffineExpr.get_symbol(0) - ir.AffineExpr.get_dim(0)
    least = ir.AffineMap.get(1, 1, [rest, ir.AffineExpr.get_constant(most)])
    return affine.AffineMinOp(least, [place, end]).result


def part_of(value: ir.Value, axis: int, place: ir.Value, size: ir.Value) -> ir.Value:
    """`size` elements of a tensor from `place` on along one axis, all of the others."""
    kind, dynamic = ir.RankedTensorType(value.type), ir.ShapedType.get_dynamic_size()
    shape = [dynamic if at == axis else extent for at, extent in enumerate(kind.shape)]
    sizes = [size if at == axis else size_of(value, at) for at, each in enumerate(shape) if each == dynamic]
    offsets = [dynamic if at == axis else 0 for at in range(kind.rank)]
    result = ir.RankedTensorType.get(shape, kind.element_type)
    ones = [1] * kind.rank
    return tensor.ExtractSliceOp(result, value, [place], sizes, [], offsets, shape, ones).result


def insert_first(source: ir.Value, into: ir.Value, axis: int, size: ir.Value) -> ir.Value:
    """`into` with `source`, which has `size` elements along one axis, in its first elements."""
    kind, dynamic = ir.RankedTensorType(source.type), ir.ShapedType.get_dynamic_size()
    sizes = [
        size if at == axis else size_of(source, at) for at, each in enumerate(kind.shape) if each == dynamic
    ]
    shape, zeros, ones = list(kind.shape), [0] * kind.rank, [1] * kind.rank
    return tensor.InsertSliceOp(source, into, [], sizes, [], zeros, shape, ones).result


class AttentionPieces:
    """Builds parts of attention for blocks of `queries` queries and `keys` keys, like those in `parts`."""

    def __init__(self, parts: dict[str, ir.Operation], queries: int, keys: int) -> None:
        self.parts, self.queries, self.keys = parts, queries, keys
        self.scores = Computation(parts["scores"])
        *self.outer, self.key, self.query, self.depth = range(self.scores.maps[0].n_dims)
        self.element = ir.RankedTensorType(self.scores.result.type).element_type
        self.features = ir.RankedTensorType(parts["values"].results[0].type).shape[-1]
        self.ones = [1] * len(self.outer)

    def padded(self, source: ir.Value, axis: int, count: ir.Value) -> ir.Value:
        """`source`, of `count` queries, followed by zeros."""
        kind = ir.RankedTensorType(source.type)
        shape = [self.queries if at == axis else extent for at, extent in enumerate(kind.shape)]
        zero = constant(self.element, 0)
        empty = tensor.EmptyOp([size_like(source, at, size) for at, size in enumerate(shape)], self.element)
        return insert_first(source, linalg.fill(zero, outs=[empty.result]), axis, count)

    def transposed(self, queries: ir.Value) -> ir.Value:
        """The queries of the block as the last dim: [..., depth, query]."""
        read, rank = self.scores.maps[1], len(self.outer) + 2
        place = {**{dim: dim for dim in self.outer}, self.query: rank - 1, self.depth: rank - 2}
        results = [
            each if dim is None else ir.AffineExpr.get_dim(place[dim])
            for each, dim in ((result, dim_position(result)) for result in read.results)
        ]
        width = ir.RankedTensorType(queries.type).shape[axis_of(read, self.depth)]
        output = self.empty([*self.ones, width, self.queries])
        identity = affine_map(rank, dims(rank))
        value = generic([queries], [affine_map(rank, results)], output, identity, lambda new, _old: new)
        return named(value, "queries")

    def empty(self, shape: Sequence[int | ir.Value]) -> ir.Value:
        return tensor.EmptyOp(list(shape), self.element).result

    def filled(self, name: str, shape: Sequence[int | ir.Value], value: float) -> ir.Value:
        scalar, rank = constant(self.element, value), len(shape)
        identity = affine_map(rank, dims(rank))
        made = generic([], [], self.empty(shape), identity, lambda _old: scalar)
        return named(made, name)

    def again(
        self, name: str, inputs: Sequence[ir.Value], output: ir.Value, maps: Sequence[ir.AffineMap] = ()
    ) -> ir.Value:
        """The part once more, on other operands."""
        old = Computation(self.parts[name])
        *reads, write = maps or old.maps
        body = self.parts[name].regions[0].blocks[0]

        def scalars(*given: ir.Value) -> ir.Value:
            return clone_body(body, dict(zip(body.arguments, given, strict=True)))[0]

        return named(generic(inputs, reads, output, write, scalars, old.reductions), name)

    def each_query(
        self, name: str, inputs: Sequence[ir.Value], output: ir.Value, body: Callable[..., ir.Value]
    ) -> ir.Value:
        rank = len(self.outer) + 1
        identity = affine_map(rank, dims(rank))
        return named(generic(inputs, [identity] * len(inputs), output, identity, body), name)


def named(value: ir.Value, name: str) -> ir.Value:
    """Names the computation of a value, for schedules."""
    name_block(value.owner.operation, name)
    return value


def axis_of(read: ir.AffineMap, dim: int) -> int:
    """The axis of an operand that an iteration dim runs along."""
    return [dim_position(result) for result in read.results].index(dim)


INFINITY = float("inf")
PARTS = (
    *("scores_init", "scores", "masked", "top_init", "top", "powers"),
    *("total_init", "total", "inverse", "values_init", "values", "root"),
)


def stream_keys(op: ir.Operation, state: ScheduleState) -> None:
    """Rewrites the parts of attention, which all lie in one loop's body."""
    parts = {block.attributes[BLOCK_TAG].value: block for block in tagged_blocks(state.kernel)}
    missing = [name for name in PARTS if name not in parts]
    if missing:
        raise StepError(f"the kernel has no block '{missing[0]}'")
    root = parts["root"]
    with ir.InsertionPoint(root), root.location:
        KeyStreamBuilder(parts, op.attributes["queries"].value, op.attributes["keys"].value).build()
    for name in reversed(PARTS[:-1]):
        parts[name].erase()
    state.run(apply_patterns("canonicalization", "linalg.tiling_canonicalization"))


class KeyStreamBuilder(AttentionPieces):
    """Builds the loop over blocks of keys, for a block of queries that is filled up."""

    def build(self) -> None:
        """The parts for all keys, in front of the root, which then reads what it needs of them."""
        source, read = self.scores.inputs[1], self.scores.maps[1]
        count = size_of(source, axis_of(read, self.query))
        columns = self.transposed(self.padded(source, axis_of(read, self.query), count))
        total_keys = size_of(self.scores.inputs[0], axis_of(self.scores.maps[0], self.key))
        loop = scf.ForOp(index_value(0), total_keys, index_value(self.keys), self.initial())
        with ir.InsertionPoint(loop.body):
            scf.YieldOp(self.block(loop, columns, total_keys, count))
        top, total, values = loop.results
        self.finish(values, self.inverse(top, total, total_keys), count)

    def initial(self) -> list[ir.Value]:
        """Largest scores, sums of powers, sums of values, before the first key."""
        row = [*self.ones, self.queries]
        return [
            self.filled("top_init", row, -INFINITY),
            self.filled("total_init", row, 0),
            self.filled("values_init", [*row, self.features], 0),
        ]

    def block(
        self, loop: scf.ForOp, columns: ir.Value, total_keys: ir.Value, count: ir.Value
    ) -> list[ir.Value]:
        """The sums after a block of keys: largest scores, powers, values."""
        place = loop.induction_variable
        top, total, values = loop.inner_iter_args
        size = least(self.keys, total_keys, place)
        masked = self.masked(self.products(columns, place, size), place, size, count)
        row = [*self.ones, self.queries]
        among = self.again("top", [masked], self.filled("top_init", row, -INFINITY))
        shift = self.each_query("shift", [among, top], self.empty(row), self.shifted)
        powers = self.again("powers", [shift], masked)
        scale = self.rescaling(shift, top)
        total = self.each_query("total_scaled", [scale], total, _product)
        scaled = self.scaled(scale, values)
        return [
            # Where the largest score before lay, which nothing reads any more.
            self.each_query("highest", [among], top, lambda new, old: arith.maximumf(old, new)),
            self.again("total", [powers], total),
            self.again("values", [powers, self.values(place, size)], scaled),
        ]

    def shifted(self, new: ir.Value, old: ir.Value, _output: ir.Value) -> ir.Value:
        """What scores are relative to: the largest one. While all are masked, 0: powers are 0, not NaN."""
        highest = arith.maximumf(old, new)
        low, zero = (constant(self.element, number) for number in (-INFINITY, 0))
        return arith.select(arith.cmpf(arith.CmpFPredicate.OEQ, highest, low), zero, highest)

    def products(self, columns: ir.Value, place: ir.Value, size: ir.Value) -> ir.Value:
        """The scores of a block of keys."""
        scores = self.scores
        keys = part_of(scores.inputs[0], axis_of(scores.maps[0], self.key), place, size)
        start = self.filled("scores_init", [*self.ones, size, self.queries], 0)
        order = [*self.outer, self.depth, self.query]
        read = affine_map(scores.maps[0].n_dims, [ir.AffineExpr.get_dim(dim) for dim in order])
        return self.again("scores", [keys, columns], start, [scores.maps[0], read, scores.maps[2]])

    def values(self, place: ir.Value, size: ir.Value) -> ir.Value:
        old = Computation(self.parts["values"])
        return part_of(old.inputs[1], axis_of(old.maps[1], old.reductions[0]), place, size)

    def masked(self, scores: ir.Value, place: ir.Value, size: ir.Value, count: ir.Value) -> ir.Value:
        """Scores of a block, in the part that they take of a buffer for a whole one."""
        old = Computation(self.parts["masked"])
        key, query = self.key, self.query
        inputs = []
        for value, read in zip(old.inputs, old.maps, strict=False):
            if value == self.scores.result:
                inputs.append(scores)
                continue
            places = [dim_position(result) for result in read.results]
            part = part_of(value, places.index(key), place, size) if key in places else value
            inputs.append(self.padded(part, places.index(query), count) if query in places else part)
        whole = self.empty([*self.ones, self.keys, self.queries])
        output = part_of(whole, len(self.outer), index_value(0), size)
        made = self.again("masked", inputs, output)
        for number in collect_ops(made.owner.operation, linalg.Index.NAME):
            if linalg.Index(number).dim == key:
                with ir.InsertionPoint.after(number), number.location:
                    moved = arith.addi(linalg.Index(number).result, place)
                linalg.Index(number).result.replace_all_uses_except(moved, [moved.owner.operation])
        return made

    def rescaling(self, shift: ir.Value, top: ir.Value) -> ir.Value:
        """What the sums so far are worth: the power of the largest score before, as powers are now."""
        body = self.parts["powers"].regions[0].blocks[0]
        return self.each_query(
            "scale",
            [shift, top],
            self.empty([*self.ones, self.queries]),
            lambda x, old, _out: clone_body(body, dict(zip(body.arguments, (x, old), strict=True)))[0],
        )

    def scaled(self, scale: ir.Value, values: ir.Value) -> ir.Value:
        rank = len(self.outer) + 2
        row, identity = affine_map(rank, dims(rank)[:-1]), affine_map(rank, dims(rank))
        return named(generic([scale], [row], values, identity, _product), "values_scaled")

    def inverse(self, top: ir.Value, total: ir.Value, total_keys: ir.Value) -> ir.Value:
        """One over the sums; no number where all keys of a query are masked, as their softmax is none."""
        low, one = (constant(self.element, number) for number in (-INFINITY, 1))
        nothing = arith.cmpi(arith.CmpIPredicate.eq, total_keys, index_value(0))
        instead = arith.select(nothing, one, constant(self.element, float("nan")))

        def body(highest: ir.Value, value: ir.Value, _old: ir.Value) -> ir.Value:
            masked = arith.cmpf(arith.CmpFPredicate.OEQ, highest, low)
            return arith.divf(one, arith.select(masked, instead, value))

        return self.each_query("inverse", [top, total], self.empty([*self.ones, self.queries]), body)

    def finish(self, values: ir.Value, inverse: ir.Value, count: ir.Value) -> None:
        """Lets the root read the queries that there are."""
        root, axis = self.parts["root"], len(self.outer)
        found = {self.parts["values"].results[0]: values, self.parts["inverse"].results[0]: inverse}
        for place, value in enumerate(root.operands):
            if value in found:
                root.operands[place] = part_of(found[value], axis, index_value(0), count)


def _product(scale: ir.Value, value: ir.Value) -> ir.Value:
    return arith.mulf(scale, value)
