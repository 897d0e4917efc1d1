"""The loops around a register tile: those of its reduction, and those that go from tile to tile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.passes.common.constants import constant_value


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
    for op in _around(loop):
        counters = _counters(op)
        if counters is None:
            return None
        within = op.name == "scf.for" and len(op.results) == len(loop.results) and not tiles
        (reductions if within else tiles).extend(counters)
    return TileLoops(loop, inner[0], reductions, tiles)


def _around(loop: ir.Operation) -> Iterator[ir.Operation]:
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
