"""Loops and branches, which are uniform across the threads of a block; tiles are carried as their
registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlc.bindings import ir, llvm, scf
from mlc.passes.accel.common import integers
from mlc.passes.accel.threads.common.code import Lowered, ThreadCode, ThreadTile
from mlc.passes.accel.threads.common.elementwise import scalar_type
from mlc.passes.accel.threads.common.layout_conversions import tile_in_layout
from mlc.passes.accel.threads.common.packed_registers import build_vector
from mlc.passes.common.rewriting import terminator_of

# Carried one by one, floats of 16 bits would take a register each; two share one.
_PAIR = 2


def for_loop(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `scf.for`, whose induction variable has 32 bits."""
    source = scf.For(op)
    bounds = [code.scalar(value) for value in (source.lower_bound, source.upper_bound, source.step)]
    code.wait_all()
    carried = source.iteration_arguments
    pairs = zip(source.init_args, carried, strict=True)
    initial = [_as_carried(code, value, argument) for value, argument in pairs]
    loop = scf.ForOp(*bounds, [register for value in initial for register in _registers(value)])
    code.values[source.induction_variable] = loop.induction_variable
    with ir.InsertionPoint(loop.body):
        _bind(code, carried, loop.inner_iter_args)
        code.emit_block(source.entry_block, scf.Yield.NAME)
        _yield(code, source.entry_block, carried)
    _bind(code, source.results, list(loop.operation.results))


def branch(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `scf.if`, whose results have the layouts that were chosen for them."""
    view = scf.If(op)
    results = view.results
    code.wait_all()
    types = [register for result in results for register in _types(code, result)]
    made = scf.IfOp(code.scalar(view.condition), types, has_else=bool(len(view.else_region.blocks)))
    for source, target in zip(op.regions, made.operation.regions, strict=True):
        if len(source.blocks):
            with ir.InsertionPoint(target.blocks[0]):
                code.emit_block(source.blocks[0], scf.Yield.NAME)
                _yield(code, source.blocks[0], results)
    _bind(code, results, list(made.operation.results))


def _yield(code: ThreadCode, block: ir.Block, targets: Sequence[ir.Value]) -> None:
    pairs = zip(terminator_of(block).operands, targets, strict=True)
    tiles = [_as_carried(code, value, target) for value, target in pairs]
    code.wait_all()
    scf.YieldOp([register for tile in tiles for register in _registers(tile)])


def _as_carried(code: ThreadCode, value: ir.Value, target: ir.Value) -> Lowered:
    """Returns the lowered form of `value`, in the layout of `target`."""
    if isinstance(target.type, ir.VectorType):
        return tile_in_layout(code, value, code.layouts[target])
    return code.scalar(value)


def _registers(lowered: Lowered) -> tuple[ir.Value, ...]:
    if isinstance(lowered, ThreadTile):
        values, run = lowered.values, _run(lowered.values[0].type, len(lowered.values))
        if run == 1:
            return values
        return tuple(build_vector(values[at : at + run]) for at in range(0, len(values), run))
    assert isinstance(lowered, ir.Value), "memrefs are not carried"
    return (lowered,)


def _run(element: ir.Type, size: int) -> int:
    """Returns the number of elements that one register carries of a tile of `size` elements."""
    return _PAIR if isinstance(element, ir.FloatType) and element.width == 16 and size % _PAIR == 0 else 1


def _elements(carried: ir.Value) -> list[ir.Value]:
    """Returns the elements that a register carries."""
    if not isinstance(carried.type, ir.VectorType):
        return [carried]
    return [llvm.ExtractElementOp(carried, integers.value(index)).result for index in range(_PAIR)]


def _bind(code: ThreadCode, targets: Sequence[ir.Value], values: Sequence[ir.Value]) -> None:
    """Maps each of `targets` to as many of the next `values` as it has registers."""
    rest: Iterator[ir.Value] = iter(values)
    for target in targets:
        if isinstance(target.type, ir.VectorType):
            layout = code.layouts[target]
            words = layout.size // _run(scalar_type(target.type), layout.size)
            carried = [next(rest) for _ in range(words)]
            code.values[target] = ThreadTile(
                layout, tuple(element for word in carried for element in _elements(word))
            )
        else:
            code.values[target] = next(rest)


def _types(code: ThreadCode, value: ir.Value) -> list[ir.Type]:
    if isinstance(value.type, ir.VectorType):
        element, size = scalar_type(value.type), code.layouts[value].size
        run = _run(element, size)
        return [element if run == 1 else ir.VectorType.get([run], element)] * (size // run)
    return [scalar_type(value.type)]


def then(condition: ir.Value) -> ir.Operation:
    """Emits an `scf.if` and returns its `scf.yield`, before which the caller inserts ops."""
    with ir.InsertionPoint(scf.IfOp(condition).then_block):
        return scf.YieldOp([]).operation


HANDLERS = {scf.For.NAME: for_loop, scf.If.NAME: branch}
