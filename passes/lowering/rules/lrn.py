"""Local response normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from mlc.bindings import arith, ir, linalg, math, scf, tensor, vector
from mlc.dialects import graph
from mlc.passes.common.linalg_builders import (
    constant,
    dims,
    elementwise,
    empty,
    index_value,
    static_shape,
    tensor_type,
)
from mlc.passes.common.vector_builders import apply_map, insert_in_parallel, read, splat, write
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import select
from mlc.passes.lowering.rules.winograd import chunk_of


def _index(dim: int) -> ir.Value:
    return linalg.IndexOp(dim).result


def _splat(type_: ir.Type, value: float) -> ir.Value:
    """The constant `value` of a scalar or vector type."""
    return splat(type_, value) if isinstance(type_, ir.VectorType) else constant(type_, value)


# Unlike `scalars.add` and `scalars.mul`, these take vectors too.
def _add(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.addf(a, b, fastmath=arith.FastMathFlags.contract)


def _mul(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.mulf(a, b, fastmath=arith.FastMathFlags.contract)


@rule("lrn")
def lower_lrn(op: ir.Operation) -> list[ir.Value]:
    """Computes `x * (bias + alpha / size * sum of squares over size neighbouring channels) ^ -beta`."""
    lrn = graph.Lrn(op)
    return [_lower_plain(lrn) if lrn.layout == "NCHW" else _lower_blocked(lrn)]


def _lower_plain(lrn: graph.Lrn) -> ir.Value:
    """Normalises [N, C, spatial...] in one elementwise computation, whose body reads each neighbour: the
    innermost loop stays contiguous, and the existence of a neighbour is invariant in it."""
    x = lrn.x

    def body(scalars: Sequence[ir.Value]) -> ir.Value:
        return _normalise(lrn, scalars[0], _neighbour_squares(x, scalars[0], lrn.size))

    return elementwise([x], x.type, body)


def _normalise(lrn: graph.Lrn, value: ir.Value, squares: ir.Value) -> ir.Value:
    """Divides `value`, a scalar or a vector, by the power of the sum of its neighbours' squares."""
    base = _add(_splat(value.type, lrn.bias), _mul(_splat(value.type, lrn.alpha / lrn.size), squares))
    return arith.divf(value, _power(base, lrn.beta))


def _power(base: ir.Value, exponent: float) -> ir.Value:
    """`base ** exponent`, by square roots where possible (the exponent of every published LRN is 0.75)."""
    if exponent == 1:
        return base
    if exponent not in (0.5, 0.75):
        return math.powf(base, _splat(base.type, exponent))
    root = math.sqrt(base)
    return root if exponent == 0.5 else _mul(root, math.sqrt(root))


def _neighbour_squares(x: ir.Value, value: ir.Value, size: int) -> ir.Value:
    """The sum over the channels around that of `value`, the element of `x` at the iteration's index."""
    channels = static_shape(x)[1]
    # Further away there is no channel; with dynamic channels there may be one.
    most = channels - 1 if isinstance(channels, int) else size
    before, after = min((size - 1) // 2, most), min(size // 2, most)
    squares = [
        _neighbour_square(x, offset) if offset else _mul(value, value) for offset in range(-before, after + 1)
    ]
    return reduce(_add, squares)


def _neighbour_square(x: ir.Value, offset: int) -> ir.Value:
    """The square of the element `offset` channels from the iteration's index, 0 where there is none."""
    shape = static_shape(x)
    channel = arith.addi(_index(1), index_value(offset))
    inside, index = _clamp_channel(channel, offset, shape[1])
    value = tensor.extract(x, [_index(0), index, *map(_index, range(2, len(shape)))])
    return select(inside, _mul(value, value), constant(value.type, 0))


def _clamp_channel(channel: ir.Value, offset: int, count: int) -> tuple[ir.Value, ir.Value]:
    """Returns whether `channel`, `offset` away from one of the `count` channels, exists, and an index that
    may be read."""
    edge = constant(ir.IndexType.get(), 0 if offset < 0 else count - 1)
    predicate = arith.CmpIPredicate.sge if offset < 0 else arith.CmpIPredicate.sle
    index = (arith.maxsi if offset < 0 else arith.minsi)(channel, edge)
    return arith.cmpi(predicate, channel, edge), index


def _lower_blocked(lrn: graph.Lrn) -> ir.Value:
    """Normalises [N, C/c, H, W, c] in a parallel loop over images, chunks of channels and rows, with a loop
    along each row."""
    x = lrn.x
    element, (batch, blocks, height, width, block) = tensor_type(x).element_type, static_shape(x)
    lanes = chunk_of(block)
    chunks = blocks * block // lanes
    loop = scf.ForallOp([0] * 3, [batch, chunks, height], [1] * 3, [empty(static_shape(x), element)])
    with ir.InsertionPoint(loop.body):
        image, chunk, row = loop.induction_variables
        before, after = (
            _clamp_channel(arith.addi(chunk, index_value(offset)), offset, chunks) for offset in (-1, 1)
        )
        bounds = (index_value(bound) for bound in (0, width, 1))
        pixels = scf.ForOp(*bounds, [empty([1, 1, 1, width, lanes], element)])
        with ir.InsertionPoint(pixels.body):
            column = pixels.induction_variable
            result = _normalise_pixel(lrn, [image, row, column], chunk, (before, after))
            zero = index_value(0)
            coordinates = [zero, zero, zero, column, zero]
            scf.YieldOp([write(result, pixels.inner_iter_args[0], coordinates, 1)])
        block_index, lane = _first_lane(chunk, block)
        insert_in_parallel(loop, pixels.results[0], [image, block_index, row, 0, lane])
    return loop.results[0]


def _first_lane(chunk: ir.Value, block: int) -> tuple[ir.Value, ir.Value]:
    """Returns the block that a chunk of channels belongs to, and the chunk's first lane in it."""
    lanes, d0 = chunk_of(block), dims(1)[0]
    outer = apply_map(ir.AffineExpr.get_floor_div(d0, block // lanes), [chunk])
    return outer, apply_map(ir.AffineExpr.get_mod(d0, block // lanes) * lanes, [chunk])


def _normalise_pixel(
    lrn: graph.Lrn,
    where: Sequence[ir.Value],
    chunk: ir.Value,
    neighbours: Sequence[tuple[ir.Value, ir.Value]],
) -> ir.Value:
    """Normalises the chunk of channels at `where` (image, row, column). A chunk is one vector, so the squares
    of its neighbours are its squares and those of the chunks before and after it, shifted. `neighbours` are
    these two: whether it exists, and its index."""
    x = lrn.x
    block = static_shape(x)[-1]
    image, row, column = where

    def values_of(index: ir.Value) -> ir.Value:
        outer, lane = _first_lane(index, block)
        return read(x, [image, outer, row, column, lane], chunk_of(block))

    def squares_of(inside: ir.Value, index: ir.Value) -> ir.Value:
        values = values_of(index)
        return select(inside, _mul(values, values), _splat(values.type, 0))

    values = values_of(chunk)
    before, after = (squares_of(*neighbour) for neighbour in neighbours)
    return _normalise(lrn, values, _shifted_sum([before, _mul(values, values), after], lrn.size))


def _shifted_sum(squares: Sequence[ir.Value], size: int) -> ir.Value:
    """Sums `size` channels lane by lane, which are in the vectors before, here and after."""
    before, here, after = squares
    lanes = ir.VectorType(here.type).shape[0]

    def shift(offset: int) -> ir.Value:
        first, second, start = (before, here, lanes + offset) if offset < 0 else (here, after, offset)
        return vector.ShuffleOp(first, second, list(range(start, start + lanes))).result

    terms = [shift(offset) if offset else here for offset in range(-((size - 1) // 2), size // 2 + 1)]
    return reduce(_add, terms)
