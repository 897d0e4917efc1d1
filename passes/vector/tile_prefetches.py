"""Prefetches of what a register tile in a nest of reductions reads next: elements for its rows, and the next
block of weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd, lcm, prod

from mlc.bindings import arith, ir, memref, vector
from mlc.passes.common.affine import AffineForm, IndexForm
from mlc.passes.common.constants import index_constant
from mlc.passes.vector.cache_lines import L1, L2, bytes_per_element, elements_per_line, prefetch_lines
from mlc.passes.vector.tile_loops import BufferElement, Counter, TileLoops, buffer_element

# Lines that one iteration has room for.
MOST = 4


@dataclass(frozen=True)
class Request:
    """The lines of a buffer that hold the elements `start` + `at`, for `at` in `offsets`.

    `start` is the sum of `base`, of `part` (a form divided by an integer), of `step` times the innermost
    loop's variable, and of what the next iteration of the loops `carries` adds: the first of them that is not
    at its end advances, those before it restart. Each comes with the elements per unit of its variable. If
    `step` is None, the lines are due once per run of the innermost loop.
    """

    buffer: ir.Value
    base: IndexForm
    part: tuple[IndexForm, int]
    carries: Sequence[tuple[Counter, int]]
    step: int | None
    offsets: Sequence[int]


def prefetch_tiles(loops: TileLoops, l2_bytes: int) -> None:
    """Adds the prefetches for one tile, on a processor with an L2 cache of `l2_bytes`."""
    block = block_ahead(loops, l2_bytes)
    for request in list(elements_ahead(loops)):
        emit(loops, request, L1)
    if block is not None:
        emit(loops, block, L2)


def elements_ahead(loops: TileLoops) -> Iterator[Request]:
    """Yields what the rows read next, for each operand of which they read single elements."""
    for first, runs in _runs(loops):
        inside, starts = _window(loops, first.offset, runs)
        rest = [counter for counter in loops.reductions if counter not in inside]
        around = _around(loops, first.offset)
        lines = _lines(first.buffer, loops.inner, prod(counter.trips for counter in inside), starts)
        if lines is not None and rest + around:
            yield _spread(loops, first, inside, rest + around, *lines)


def _runs(loops: TileLoops) -> Iterator[tuple[BufferElement, list[int]]]:
    """Yields the element that the first row reads, and the distances of all rows' runs from it. A run is what
    a row reads from the first to the last iteration of the innermost loop: contiguous elements."""
    groups: dict[tuple[object, ...], list[BufferElement]] = {}
    for op in loops.reads(memref.Load.NAME):
        element = buffer_element(memref.Load(op).memref, memref.Load(op).indices)
        if element is not None:
            groups.setdefault((element.buffer, frozenset(element.offset.terms.items())), []).append(element)
    length = loops.inner.step * loops.inner.trips
    for elements in groups.values():
        first = min(elements, key=lambda element: element.offset.constant)
        distances = [element.offset.constant - first.offset.constant for element in elements]
        same = all(distance % length < loops.inner.step for distance in distances)
        if same and _factor(first.offset, loops.inner) == 1:
            yield first, sorted({distance - distance % length for distance in distances})


def _factor(offset: IndexForm, counter: Counter) -> int:
    """Returns the elements that the offset, which has no quotients, advances per unit of the counter."""
    return offset.coefficient(counter.variable) or 0


def _window(loops: TileLoops, element: IndexForm, starts: list[int]) -> tuple[list[Counter], list[int]]:
    """Returns the innermost reductions that read runs again, such as the columns of a window, and all runs
    that are read in them."""
    inside: list[Counter] = []
    for counter in loops.reductions:
        shift = _factor(element, counter) * counter.step
        wider = {start + step * shift for start in starts for step in range(counter.trips)}
        if len(wider) == len(starts) * counter.trips:
            break
        inside.append(counter)
        starts = sorted(wider)
    return inside, starts


def _around(loops: TileLoops, element: IndexForm) -> list[Counter]:
    """Returns the loops over tiles that determine the next tile. If their tiles are contiguous, the first of
    them is enough."""
    found: list[Counter] = []
    for counter in loops.tiles:
        advance = _factor(element, counter) * counter.step
        if found and advance == _factor(element, found[-1]) * found[-1].step * found[-1].trips:
            break
        found += [counter] if advance else []
    return found


def _lines(
    buffer: ir.Value, inner: Counter, repeats: int, starts: Sequence[int]
) -> tuple[int, list[int]] | None:
    """Returns the elements that each iteration advances, and the offsets of its lines, so that `repeats` runs
    of the innermost loop take the lines of all `starts`; None if an iteration would take more than MOST."""
    length, line = inner.step * inner.trips, elements_per_line(buffer)
    iterations = repeats * inner.trips
    gap = gcd(*(start - starts[0] for start in starts)) or length
    if gap <= length:
        per = -(-(starts[-1] - starts[0] + length) // (line * iterations))
        advance, offsets = per * line, [index * line for index in range(per)]
    else:
        per = -(-((starts[-1] - starts[0]) // gap + 1) // iterations)
        advance = per * gap
        offsets = [index * gap + at for index in range(per) for at in range(0, length, line)]
    return (advance, offsets) if len(offsets) <= MOST and advance % inner.step == 0 else None


def _spread(
    loops: TileLoops,
    first: BufferElement,
    inside: Sequence[Counter],
    carries: Sequence[Counter],
    advance: int,
    offsets: Sequence[int],
) -> Request:
    """Returns the request that advances by `advance` in each iteration of the innermost loop, through all
    `inside`."""
    base = first.offset.without(loops.inner.variable)
    iterations = loops.inner.trips
    for counter in inside:
        factor = iterations * advance // counter.step
        base += AffineForm.of(counter.variable) * (factor - _factor(base, counter))
        iterations *= counter.trips
    following = [(counter, _factor(first.offset, counter)) for counter in carries]
    return Request(first.buffer, base, (AffineForm(), 1), following, advance // loops.inner.step, offsets)


def block_ahead(loops: TileLoops, l2_bytes: int) -> Request | None:
    """Returns the weights of the next block of columns, of which each tile of this block takes a part; None
    if both blocks do not fit the L2 cache."""
    weights = _weights(loops)
    length = _length(loops, weights.offset) if weights is not None else None
    if weights is None or length is None:
        return None
    sweep: list[Counter] = []
    for counter in loops.tiles:
        advance = _factor(weights.offset, counter) * counter.step
        if advance:
            fits = 2 * length * bytes_per_element(weights.buffer) <= l2_bytes
            return _part(loops, weights, sweep, length) if sweep and advance == length and fits else None
        sweep.append(counter)
    return None


def _weights(loops: TileLoops) -> BufferElement | None:
    """Returns the first element that the innermost loop reads as vectors, if its vectors are contiguous."""
    elements = []
    for read in map(vector.TransferRead, loops.reads(vector.TransferRead.NAME)):
        if isinstance(read.base.type, ir.MemRefType):
            element = buffer_element(read.base, read.indices)
            width = prod(ir.VectorType(read.vector.type).shape)
            if element is not None and _factor(element.offset, loops.inner) == width > 1:
                elements.append(element)
    return min(elements, key=lambda element: element.offset.constant, default=None)


def _length(loops: TileLoops, element: IndexForm) -> int | None:
    """Returns the elements that a tile reads from its first step to its last, None if there are gaps."""
    length = _factor(element, loops.inner) * loops.inner.step * loops.inner.trips
    for counter in loops.reductions:
        if _factor(element, counter) * counter.step != length:
            return None
        length *= counter.trips
    return length


def _part(loops: TileLoops, weights: BufferElement, sweep: Sequence[Counter], length: int) -> Request:
    """Returns the part of the next block, `length` elements long, that is due in this tile of the `sweep`."""
    inner, line = loops.inner, elements_per_line(weights.buffer)
    tiles, steps = prod(counter.trips for counter in sweep), lcm(*(counter.step for counter in sweep))
    base, part = weights.offset.without(inner.variable) + length, AffineForm[ir.Value]()
    for counter in loops.reductions:
        part += AffineForm.of(counter.variable) * (_factor(weights.offset, counter) * steps)
        base = base.without(counter.variable)
    repeated = length
    for counter in sweep:
        part += AffineForm.of(counter.variable) * (repeated * steps // counter.step)
        repeated *= counter.trips
    width = _factor(weights.offset, inner)
    run, step = -(-width * inner.step * inner.trips // tiles), -(-width // tiles)
    due = (part, tiles * steps)
    if run <= MOST * line:
        return Request(weights.buffer, base, due, [], None, range(0, run, line))
    return Request(weights.buffer, base, due, [], step, range(0, step * inner.step, line))


def emit(loops: TileLoops, request: Request, locality: int) -> None:
    """Adds the prefetches to the innermost loop, or before it."""
    with ir.InsertionPoint(loops.loop), loops.loop.location:
        start = _plus(_value(request.base), _next(request.carries))
        start = _plus(start, _quotient(*request.part))
        if request.step is None:
            _prefetch(request, start, locality)
            return
    with ir.InsertionPoint.at_block_begin(loops.loop.regions[0].blocks[0]), loops.loop.location:
        advance = arith.muli(loops.inner.variable, index_constant(request.step))
        _prefetch(request, arith.addi(start, advance), locality)


def _value(form: IndexForm) -> ir.Value:
    value = index_constant(form.constant)
    for term, coefficient in form.terms.items():
        value = arith.addi(value, arith.muli(term.variable, index_constant(coefficient)))
    return value


def _quotient(form: IndexForm, divisor: int) -> ir.Value | None:
    return arith.divui(_value(form), index_constant(divisor)) if form.terms else None


def _next(carries: Sequence[tuple[Counter, int]]) -> ir.Value | None:
    """Builds the distance to what the next iteration of the loops reads. The outermost loop is taken to have
    no end: what the loop around it reads next usually follows."""
    value = None
    for counter, factor in reversed(carries):
        forth = index_constant(factor * counter.step)
        if value is None:
            value = forth
            continue
        back = arith.addi(value, index_constant(factor * (counter.begin - counter.last)))
        inside = arith.cmpi(arith.CmpIPredicate.ult, counter.variable, index_constant(counter.last))
        value = arith.select(inside, forth, back)
    return value


def _plus(left: ir.Value, right: ir.Value | None) -> ir.Value:
    return left if right is None else arith.addi(left, right)


def _prefetch(request: Request, start: ir.Value, locality: int) -> None:
    zeros = [index_constant(0)] * (ir.MemRefType(request.buffer.type).rank - 1)
    prefetch_lines(request.buffer, [*zeros, start], request.offsets, locality)
