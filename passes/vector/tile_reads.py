"""What a register tile reads next: numbers of its rows, and the block of weights behind this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd, lcm, prod

from mlc.bindings import ir
from mlc.passes.vector.access_offsets import ZERO, Place, Sum, place_of
from mlc.passes.vector.prefetch_panels import CACHE_LINE_BYTES
from mlc.passes.vector.tile_loops import Counter, TileLoops

# Lines that one iteration has room for.
MOST = 4


@dataclass(frozen=True)
class Request:
    """The lines of a buffer that hold the elements `start` + `at`, for `at` in `offsets`.

    `start` is the sum of `base`, of `part` (a sum divided by a number), of `step` times the innermost loop's
    variable, and of what the next iteration of the loops `carries` adds: the first of them that is not at its
    end moves on, those before it begin anew. Each comes with the elements per unit of its variable. Where
    `step` is None, the lines are due once per run of the innermost loop.
    """

    buffer: ir.Value
    base: Sum
    part: tuple[Sum, int]
    carries: Sequence[tuple[Counter, int]]
    step: int | None
    offsets: Sequence[int]


def numbers_ahead(loops: TileLoops) -> Iterator[Request]:
    """What the rows read next, for each operand of which they read single numbers."""
    for place, runs in _runs(loops):
        inside, starts = _window(loops, place.element, runs)
        rest = [each for each in loops.reductions if each not in inside]
        around = _around(loops, place.element)
        lines = _lines(place.buffer, loops.inner, prod(each.trips for each in inside), starts)
        if lines is not None and rest + around:
            yield _spread(loops, place, inside, rest + around, *lines)


def _runs(loops: TileLoops) -> Iterator[tuple[Place, list[int]]]:
    """The place that the first row reads, and the distances of all rows' runs from it. A run is what a row
    reads from the first to the last iteration of the innermost loop, one number behind the other."""
    groups: dict[tuple[object, ...], list[Place]] = {}
    for op in loops.reads("memref.load"):
        place = place_of(op.operands[0], list(op.operands)[1:])
        if place is not None:
            groups.setdefault((place.buffer, frozenset(place.element.factors.items())), []).append(place)
    length = loops.inner.step * loops.inner.trips
    for places in groups.values():
        first = min(places, key=lambda place: place.element.constant)
        distances = [place.element.constant - first.element.constant for place in places]
        alike = all(distance % length < loops.inner.step for distance in distances)
        if alike and first.element.factor(loops.inner.variable) == 1:
            yield first, sorted({distance - distance % length for distance in distances})


def _window(loops: TileLoops, element: Sum, starts: list[int]) -> tuple[list[Counter], list[int]]:
    """The innermost reductions that read runs again, such as the columns of a window, and all runs that are
    read in them."""
    inside: list[Counter] = []
    for counter in loops.reductions:
        shift = element.factor(counter.variable) * counter.step
        wider = {start + step * shift for start in starts for step in range(counter.trips)}
        if len(wider) == len(starts) * counter.trips:
            break
        inside.append(counter)
        starts = sorted(wider)
    return inside, starts


def _around(loops: TileLoops, element: Sum) -> list[Counter]:
    """The loops over tiles by which the next tile is found. Where their tiles lie one behind the other, the
    first of them is enough."""
    found: list[Counter] = []
    for counter in loops.tiles:
        advance = element.factor(counter.variable) * counter.step
        if found and advance == element.factor(found[-1].variable) * found[-1].step * found[-1].trips:
            break
        found += [counter] if advance else []
    return found


def _lines(
    buffer: ir.Value, inner: Counter, repeats: int, starts: Sequence[int]
) -> tuple[int, list[int]] | None:
    """How many elements each iteration goes on, and the offsets of its lines, so that `repeats` runs of the
    innermost loop take the lines of all `starts`; None if an iteration has no room for so many."""
    length, line = inner.step * inner.trips, elements_per_line(buffer)
    iterations = repeats * inner.trips
    gap = gcd(*(start - starts[0] for start in starts)) or length
    if gap <= length:
        per = -(-(starts[-1] - starts[0] + length) // (line * iterations))
        advance, offsets = per * line, [each * line for each in range(per)]
    else:
        per = -(-((starts[-1] - starts[0]) // gap + 1) // iterations)
        advance = per * gap
        offsets = [each * gap + at for each in range(per) for at in range(0, length, line)]
    return (advance, offsets) if len(offsets) <= MOST and advance % inner.step == 0 else None


def _spread(
    loops: TileLoops,
    place: Place,
    inside: Sequence[Counter],
    carries: Sequence[Counter],
    advance: int,
    offsets: Sequence[int],
) -> Request:
    """The request that goes on by `advance` in each iteration of the innermost loop, through all `inside`."""
    factors = dict(place.element.factors)
    del factors[loops.inner.variable]
    iterations = loops.inner.trips
    for counter in inside:
        factors[counter.variable] = iterations * advance // counter.step
        iterations *= counter.trips
    following = [(each, place.element.factor(each.variable)) for each in carries]
    base, step = Sum(place.element.constant, factors), advance // loops.inner.step
    return Request(place.buffer, base, (ZERO, 1), following, step, offsets)


def block_ahead(loops: TileLoops, second_cache: int) -> Request | None:
    """The weights of the next block of columns, of which each tile of this block takes a part; None where
    both blocks do not fit the second cache."""
    place = _weights(loops)
    length = _length(loops, place.element) if place is not None else None
    if place is None or length is None:
        return None
    sweep: list[Counter] = []
    for counter in loops.tiles:
        advance = place.element.factor(counter.variable) * counter.step
        if advance:
            fits = 2 * length * bytes_per_element(place.buffer) <= second_cache
            return _part(loops, place, sweep, length) if sweep and advance == length and fits else None
        sweep.append(counter)
    return None


def _weights(loops: TileLoops) -> Place | None:
    """The place of the first vector that the innermost loop reads where its vectors lie one behind the
    other."""
    places = []
    for op in loops.reads("vector.transfer_read"):
        if isinstance(op.operands[0].type, ir.MemRefType):
            rank = ir.MemRefType(op.operands[0].type).rank
            place = place_of(op.operands[0], list(op.operands)[1 : 1 + rank])
            width = prod(ir.VectorType(op.results[0].type).shape)
            if place is not None and place.element.factor(loops.inner.variable) == width > 1:
                places.append(place)
    return min(places, key=lambda place: place.element.constant) if places else None


def _length(loops: TileLoops, element: Sum) -> int | None:
    """Elements that a tile reads from its first step to its last, None if there are gaps between."""
    length = element.factor(loops.inner.variable) * loops.inner.step * loops.inner.trips
    for counter in loops.reductions:
        if element.factor(counter.variable) * counter.step != length:
            return None
        length *= counter.trips
    return length


def _part(loops: TileLoops, place: Place, sweep: Sequence[Counter], length: int) -> Request:
    """The part of the next block, `length` elements long, that is due in this tile of the `sweep`."""
    element, line, inner = place.element, elements_per_line(place.buffer), loops.inner
    tiles, steps = prod(each.trips for each in sweep), lcm(*(each.step for each in sweep))
    within = {each.variable: element.factor(each.variable) * steps for each in loops.reductions}
    repeated = length
    for each in sweep:
        within[each.variable] = repeated * steps // each.step
        repeated *= each.trips
    fixed = {each: element.factors[each] for each in element.factors if each not in (*within, inner.variable)}
    base, part = Sum(element.constant + length, fixed), (Sum(0, within), tiles * steps)
    width = element.factor(inner.variable)
    run, step = -(-width * inner.step * inner.trips // tiles), -(-width // tiles)
    if run <= MOST * line:
        return Request(place.buffer, base, part, [], None, range(0, run, line))
    return Request(place.buffer, base, part, [], step, range(0, step * inner.step, line))


def elements_per_line(buffer: ir.Value) -> int:
    """Elements in a cache line."""
    return max(1, CACHE_LINE_BYTES // bytes_per_element(buffer))


def bytes_per_element(buffer: ir.Value) -> int:
    """Bytes that an element of the buffer takes."""
    return max(1, ir.MemRefType(buffer.type).element_type.width // 8)
