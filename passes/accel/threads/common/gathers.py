"""`vector.gather`: elements of a memory at places that threads have computed."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.axis_info import alike, progression
from mlc.passes.accel.common.divisibility import multiple_of
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.threads.common import addresses
from mlc.passes.accel.threads.common.code import Memory, ThreadCode, Tile
from mlc.passes.accel.threads.common.layout_conversions import converted


def gather(code: ThreadCode, op: ir.Operation) -> None:
    """Where the mask says so, the element that lies as many places behind the base as the index says, along
    the last dim of the memory; several at a time where their places follow each other."""
    (result,) = op.results
    base, *start, places, mask, otherwise = op.operands
    layout, memory = code.layouts[result], code.memory(base)
    run = _run(layout, memory, op)
    places, mask, otherwise = (converted(code, code.tile(each), layout) for each in (places, mask, otherwise))
    outer = [code.scalar(each) for each in start]
    values = []
    for first in range(0, layout.size, run):
        place = [*outer[:-1], integers.add(outer[-1], places.values[first])]
        condition, padding = mask.values[first], otherwise.values[first : first + run]
        values += addresses.load_elements(memory, place, [condition], padding)
    code.values[result] = Tile(layout, tuple(values))


def _run(layout: Layout, memory: Memory, op: ir.Operation) -> int:
    """How many elements one access takes."""
    *start, places, mask, _ = list(op.operands)[1:]
    known = progression(places)
    if known is None or known.step != 1:
        return 1
    return addresses.common_run(
        layout,
        memory,
        (known.rest, alike(mask), multiple_of(start[-1]), addresses.most_elements(memory)),
    )


HANDLERS = {"vector.gather": gather}
