"""`vector.gather`: elements of a memory at places that threads have computed."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.accel.threads import addresses, numbers
from mlc.passes.accel.threads.code import ThreadCode, Tile
from mlc.passes.accel.threads.conversions import converted


def gather(code: ThreadCode, op: ir.Operation) -> None:
    """Where the mask says so, the element that lies as many places behind the base as the index says, along
    the last dim of the memory."""
    (result,) = op.results
    base, *start, places, mask, otherwise = op.operands
    layout, memory = code.layouts[result], code.memory(base)
    places, mask, otherwise = (converted(code, code.tile(each), layout) for each in (places, mask, otherwise))
    outer = [code.scalar(each) for each in start]
    values = []
    for at, condition, number in zip(places.values, mask.values, otherwise.values, strict=True):
        place = [*outer[:-1], numbers.add(outer[-1], at)]
        values += addresses.load_elements(memory, place, 1, [condition], number)
    code.values[result] = Tile(layout, tuple(values))


HANDLERS = {"vector.gather": gather}
