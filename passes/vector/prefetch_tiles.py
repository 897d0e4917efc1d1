"""tloop-prefetch-tiles: register tiles fetch in time their next numbers, and the next block of weights.

What a register tile reads next: numbers of its rows, and the block of weights behind this one.

The loops around a register tile: those of its reduction, and those that go from tile to tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd, lcm, prod
from typing import ClassVar

from mlc.bindings import arith, ir
from mlc.passes.base import Pass
from mlc.passes.common.constants import constant_value, index_constant
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import target_of
from mlc.passes.vector.access_offsets import ZERO, Place, Sum, place_of
from mlc.passes.vector.index_offsets import offset_by
from mlc.passes.vector.prefetch_panels import CACHE_LINE_BYTES, FEWEST_ROWS, FIRST_CACHE, SECOND_CACHE


@dataclass(frozen=True)
class Counter:
    """A variable that counts from `begin` in steps of `step`, `trips` times."""

    variable: ir.Value
    begin: int
    step: int
    trips: int

    @property
    def last(self) -> int:
        return self.begin + (self.trips - 1) * self.step


@dataclass(frozen=True)
class TileLoops:
    """`inner` is the innermost loop; `reductions` are the loops around it that carry the accumulators, too,
    and `tiles` those around these. Innermost first."""

    loop: ir.Operation
    inner: Counter
    reductions: Sequence[Counter]
    tiles: Sequence[Counter]

    def reads(self, name: str) -> Iterator[ir.Operation]:
        """The ops of the innermost loop called `name`."""
        for each in self.loop.regions[0].blocks[0]:
            if each.operation.name == name:
                yield each.operation


def tile_loops(loop: ir.Operation) -> TileLoops | None:
    """The loops around an innermost one; None where bounds are no numbers."""
    inner = _counters(loop)
    if inner is None:
        return None
    reductions: list[Counter] = []
    tiles: list[Counter] = []
    for op in _loops_around(loop):
        counters = _counters(op)
        if counters is None:
            return None
        within = op.name == "scf.for" and len(op.results) == len(loop.results) and not tiles
        (reductions if within else tiles).extend(counters)
    return TileLoops(loop, inner[0], reductions, tiles)


def _loops_around(loop: ir.Operation) -> Iterator[ir.Operation]:
    op = loop.parent
    while op is not None and op.name != "func.func":
        yield op.operation
        op = op.operation.parent


def _counters(op: ir.Operation) -> list[Counter] | None:
    """The variables of a loop, innermost first; none of other ops."""
    if op.name == "scf.forall":
        names = ("staticLowerBound", "staticUpperBound", "staticStep")
        bounds = list(zip(*(list(op.attributes[name]) for name in names), strict=True))
    elif op.name == "scf.for":
        numbers = [constant_value(each) for each in list(op.operands)[:3]]
        bounds = [tuple(numbers)]
    else:
        return []
    unknown = (None, ir.ShapedType.get_dynamic_size())
    if any(number in unknown for each in bounds for number in each):
        return None
    variables = op.regions[0].blocks[0].arguments
    found = [
        Counter(variable, begin, step, max(0, -(-(end - begin) // step)))
        for variable, (begin, end, step) in zip(variables, bounds, strict=False)
    ]
    return found[::-1]


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


def emit(loops: TileLoops, request: Request, locality: int) -> None:
    """Adds the prefetches to the innermost loop, or in front of it."""
    with ir.InsertionPoint(loops.loop), loops.loop.location:
        start = _plus(_value(request.base), _next(request.carries))
        start = _plus(start, _quotient(*request.part))
        if request.step is None:
            _prefetch(request, start, locality)
            return
    with ir.InsertionPoint.at_block_begin(loops.loop.regions[0].blocks[0]), loops.loop.location:
        advance = arith.muli(loops.inner.variable, index_constant(request.step))
        _prefetch(request, arith.addi(start, advance), locality)


def _value(total: Sum) -> ir.Value:
    value = index_constant(total.constant)
    for variable, factor in total.factors.items():
        value = arith.addi(value, arith.muli(variable, index_constant(factor)))
    return value


def _quotient(total: Sum, divisor: int) -> ir.Value | None:
    return arith.divui(_value(total), index_constant(divisor)) if total.factors else None


def _next(carries: Sequence[tuple[Counter, int]]) -> ir.Value | None:
    """How much further the next iteration of the loops reads. The last one is taken to have no end: behind it
    lies, as a rule, what comes next in the loop around it."""
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
    """Prefetches the lines. Beyond the end of the buffer a prefetch does nothing."""
    zeros = [index_constant(0)] * (ir.MemRefType(request.buffer.type).rank - 1)
    attributes = {
        "isWrite": ir.BoolAttr.get(False),
        "isDataCache": ir.BoolAttr.get(True),
        "localityHint": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), locality),
    }
    for offset in request.offsets:
        place = offset_by(start, offset) if offset else start
        ir.Operation.create("memref.prefetch", [], [request.buffer, *zeros, place], attributes)


@dataclass(frozen=True)
class PrefetchTiles(Pass):
    """Prefetch what a register tile in a nest of reductions reads next.

    Its rows read single numbers of an image: those of the next block of channels, of the next row of a
    window, or of the next tile, come to the first cache. The weights of the next block of columns come to the
    second cache, where both blocks fit it: a part of them while each tile of this block is computed.
    """

    name: ClassVar[str] = "tloop-prefetch-tiles"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        for loop in collect_ops(op, "scf.for"):
            inside = any(each.operation.regions for each in loop.regions[0].blocks[0])
            if len(loop.results) < FEWEST_ROWS or inside:
                continue
            loops = tile_loops(loop)
            if loops is not None and loops.reductions:
                self.serve(loops, target_of(op).l2)

    def serve(self, loops: TileLoops, second_cache: int) -> None:
        """Adds the prefetches for one tile."""
        block = block_ahead(loops, second_cache)
        for request in list(numbers_ahead(loops)):
            emit(loops, request, FIRST_CACHE)
        if block is not None:
            emit(loops, block, SECOND_CACHE)
