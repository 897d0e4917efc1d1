"""What attention for one block of queries and keys is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import ir, linalg, tensor
from mlc.passes.common.cloning import clone_body
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.linalg_builders import affine_map, constant, dims, generic
from mlc.passes.common.named_blocks import name_block
from mlc.passes.schedule.structured.tensor_slices import insert_first, size_like


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
            for each, dim in ((each, dim_position(each)) for each in read.results)
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
    return [dim_position(each) for each in read.results].index(dim)
