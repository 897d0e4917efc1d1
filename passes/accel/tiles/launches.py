"""Parallel loops over tiles as launches of thread blocks."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlc.bindings import arith, ir
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.meanings import Index, as_value, whole_memory
from mlc.passes.accel.tiles.slices import write
from mlc.passes.base import PassFailure
from mlc.passes.rewriting import terminator_of

# On a loop: how many warps its blocks have.
WARPS = "accel.warps"
DEFAULT_WARPS = 4
_DYNAMIC = ir.ShapedType.get_dynamic_size()


def single_block(code: Emission, block: ir.Block) -> None:
    """A kernel whose loop over tiles had one iteration, and is gone: all of it is a block's work."""
    _launch(code, 1, ir.IntegerAttr.get(ir.IntegerType.get_signless(64), DEFAULT_WARPS))
    assert code.body is not None
    with ir.InsertionPoint(code.body):
        code.emit_block(block)
        for result, memory in code.destinations.items():
            write(code, code.tile(result, terminator_of(block)), whole_memory(memory))
    code.body = None


def _launch(code: Emission, blocks: int, warps: ir.Attribute) -> None:
    launch = ir.Operation.create("accel.launch", [], [as_value(blocks)], {"warps": warps}, regions=1)
    code.body = launch.regions[0].blocks.append(ir.IndexType.get())


def forall(code: Emission, op: ir.Operation) -> None:
    """`scf.forall` over tiles of results: a launch with a block for each iteration, the last dim's
    neighbours next to each other."""
    if code.body is not None:
        raise PassFailure("parallel loops within blocks have no form on tiles", op.location)
    counts = _counts(op)
    _launch(code, prod(counts), _warps(op))
    assert code.body is not None
    block = op.regions[0].blocks[0]
    targets = [_destination(code, each) for each in op.results]
    with ir.InsertionPoint(code.body):
        places = [as_value(each) for each in places_of(code.body.arguments[0], counts)]
        code.values.update(zip(block.arguments, [*places, *map(whole_memory, targets)], strict=True))
        code.emit_block(block)
        for each in terminator_of(block).regions[0].blocks[0].operations:
            code.emit(each.operation)
    code.body = None
    code.values.update(zip(op.results, map(whole_memory, targets), strict=True))


def _destination(code: Emission, result: ir.Value) -> ir.Value:
    if result not in code.destinations:
        raise PassFailure("a loop's result that no caller gets has no memory", result.location)
    return code.destinations[result]


def _counts(op: ir.Operation) -> list[int]:
    """Iterations along each dim."""
    bounds = {name: list(op.attributes[f"static{name}"]) for name in ("LowerBound", "UpperBound", "Step")}
    dims = len(bounds["UpperBound"])
    if bounds["LowerBound"] != [0] * dims or bounds["Step"] != [1] * dims or _DYNAMIC in bounds["UpperBound"]:
        raise PassFailure("only loops that count tiles from 0 to a constant become launches", op.location)
    return bounds["UpperBound"]


def _warps(op: ir.Operation) -> ir.Attribute:
    i64 = ir.IntegerType.get_signless(64)
    return op.attributes[WARPS] if WARPS in op.attributes else ir.IntegerAttr.get(i64, DEFAULT_WARPS)


def places_of(number: ir.Value, counts: Sequence[int]) -> list[Index]:
    """The place in a grid that a number stands for, the last dim's neighbours next to each other."""
    places: list[Index] = []
    for count in reversed(counts[1:]):
        if count == 1:
            places.append(0)
            continue
        places.append(arith.RemUIOp(number, as_value(count)).result)
        number = arith.DivUIOp(number, as_value(count)).result
    if counts:
        places.append(number)
    return places[::-1]


HANDLERS = {"scf.forall": forall}
