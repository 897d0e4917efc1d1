"""Loops and branches, which all threads of a block take together; they carry tiles as their registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlc.bindings import ir, llvm, scf
from mlc.passes.accel.common import integers
from mlc.passes.accel.threads.common.code import Meaning, ThreadCode, ThreadTile
from mlc.passes.accel.threads.common.elementwise import scalar_type
from mlc.passes.accel.threads.common.layout_conversions import tile_in_layout
from mlc.passes.accel.threads.common.packed_registers import build_vector

# Of floats of 16 bits, two share a register. One by one each would take its own.
_PAIR = 2


def for_loop(code: ThreadCode, op: ir.Operation) -> None:
    """`scf.for`, counted in 32 bits."""
    lower, upper, step = (code.scalar(operand) for operand in list(op.operands)[:3])
    code.settle()
    body = op.regions[0].blocks[0]
    carried = list(body.arguments)[1:]
    initial = [
        _as_carried(code, given, argument)
        for given, argument in zip(list(op.operands)[3:], carried, strict=True)
    ]
    loop = scf.ForOp(lower, upper, step, [register for given in initial for register in _registers(given)])
    code.values[body.arguments[0]] = loop.induction_variable
    with ir.InsertionPoint(loop.body):
        _bind(code, carried, loop.inner_iter_args)
        code.emit_block(body, scf.Yield.NAME)
        _yield(code, body, carried)
    _bind(code, list(op.results), list(loop.operation.results))


def branch(code: ThreadCode, op: ir.Operation) -> None:
    """`scf.if`; each result has the layout that was chosen for it."""
    results = list(op.results)
    code.settle()
    kinds = [kind for result in results for kind in _types(code, result)]
    made = scf.IfOp(code.scalar(op.operands[0]), kinds, has_else=bool(len(op.regions[1].blocks)))
    for source, target in zip(op.regions, made.operation.regions, strict=True):
        if len(source.blocks):
            with ir.InsertionPoint(target.blocks[0]):
                code.emit_block(source.blocks[0], scf.Yield.NAME)
                _yield(code, source.blocks[0], results)
    _bind(code, results, list(made.operation.results))


def _yield(code: ThreadCode, block: ir.Block, targets: Sequence[ir.Value]) -> None:
    given = list(block.operations[len(block.operations) - 1].operands)
    tiles = [_as_carried(code, value, target) for value, target in zip(given, targets, strict=True)]
    code.settle()
    scf.YieldOp([register for tile in tiles for register in _registers(tile)])


def _as_carried(code: ThreadCode, given: ir.Value, target: ir.Value) -> Meaning:
    """What `given` is, in the layout of `target`."""
    if isinstance(target.type, ir.VectorType):
        return tile_in_layout(code, given, code.layouts[target])
    return code.scalar(given)


def _registers(meaning: Meaning) -> tuple[ir.Value, ...]:
    if isinstance(meaning, ThreadTile):
        values, run = meaning.values, _run(meaning.values[0].type, len(meaning.values))
        if run == 1:
            return values
        return tuple(build_vector(values[at : at + run]) for at in range(0, len(values), run))
    assert isinstance(meaning, ir.Value), "memrefs are not carried"
    return (meaning,)


def _run(kind: ir.Type, size: int) -> int:
    """How many of `size` elements of a tile are carried in one register."""
    return _PAIR if isinstance(kind, ir.FloatType) and kind.width == 16 and size % _PAIR == 0 else 1


def _elements(carried: ir.Value) -> list[ir.Value]:
    """Those that a register carries."""
    if not isinstance(carried.type, ir.VectorType):
        return [carried]
    return [llvm.ExtractElementOp(carried, integers.value(index)).result for index in range(_PAIR)]


def _bind(code: ThreadCode, targets: Sequence[ir.Value], values: Sequence[ir.Value]) -> None:
    """Says of each of `targets` that it is the next of `values`, as many as it has registers."""
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
        kind, size = scalar_type(value.type), code.layouts[value].size
        run = _run(kind, size)
        return [kind if run == 1 else ir.VectorType.get([run], kind)] * (size // run)
    return [scalar_type(value.type)]


def then(condition: ir.Value) -> ir.Operation:
    """A branch for what is built in front of the op."""
    branch = scf.IfOp(condition)
    with ir.InsertionPoint(branch.operation.regions[0].blocks[0]):
        return scf.YieldOp([]).operation


HANDLERS = {scf.For.NAME: for_loop, scf.If.NAME: branch}
