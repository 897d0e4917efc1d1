"""Loops and branches, which all threads of a block take together; they carry tiles as their registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlc.bindings import ir, scf
from mlc.passes.accel.threads.code import Meaning, ThreadCode, Tile
from mlc.passes.accel.threads.conversions import laid_out
from mlc.passes.accel.threads.elementwise import scalar_type


def for_loop(code: ThreadCode, op: ir.Operation) -> None:
    """`scf.for`, counted in 32 bits."""
    lower, upper, step = (code.scalar(each) for each in list(op.operands)[:3])
    code.settle()
    body = op.regions[0].blocks[0]
    carried = list(body.arguments)[1:]
    initial = [
        _as_carried(code, given, argument)
        for given, argument in zip(list(op.operands)[3:], carried, strict=True)
    ]
    loop = scf.ForOp(lower, upper, step, [each for given in initial for each in _registers(given)])
    code.values[body.arguments[0]] = loop.induction_variable
    _bind(code, carried, loop.inner_iter_args)
    with ir.InsertionPoint(loop.body):
        code.emit_block(body, "scf.yield")
        _yield(code, body, carried)
    _bind(code, list(op.results), list(loop.operation.results))


def branch(code: ThreadCode, op: ir.Operation) -> None:
    """`scf.if`; each result has the layout that was chosen for it."""
    results = list(op.results)
    code.settle()
    kinds = [kind for each in results for kind in _types(code, each)]
    made = scf.IfOp(code.scalar(op.operands[0]), kinds, has_else=bool(len(op.regions[1].blocks)))
    for source, target in zip(op.regions, made.operation.regions, strict=True):
        if len(source.blocks):
            with ir.InsertionPoint(target.blocks[0]):
                code.emit_block(source.blocks[0], "scf.yield")
                _yield(code, source.blocks[0], results)
    _bind(code, results, list(made.operation.results))


def _yield(code: ThreadCode, block: ir.Block, targets: Sequence[ir.Value]) -> None:
    given = list(block.operations[len(block.operations) - 1].operands)
    tiles = [_as_carried(code, value, target) for value, target in zip(given, targets, strict=True)]
    code.settle()
    scf.YieldOp([each for tile in tiles for each in _registers(tile)])


def _as_carried(code: ThreadCode, given: ir.Value, target: ir.Value) -> Meaning:
    """What `given` is, in the layout of `target`."""
    if isinstance(target.type, ir.VectorType):
        return laid_out(code, given, code.layouts[target])
    return code.scalar(given)


def _registers(meaning: Meaning) -> tuple[ir.Value, ...]:
    if isinstance(meaning, Tile):
        return meaning.values
    assert isinstance(meaning, ir.Value), "memrefs are not carried"
    return (meaning,)


def _bind(code: ThreadCode, targets: Sequence[ir.Value], values: Sequence[ir.Value]) -> None:
    """Says of each of `targets` that it is the next of `values`, as many as it has registers."""
    rest: Iterator[ir.Value] = iter(values)
    for target in targets:
        if isinstance(target.type, ir.VectorType):
            layout = code.layouts[target]
            code.values[target] = Tile(layout, tuple(next(rest) for _ in range(layout.size)))
        else:
            code.values[target] = next(rest)


def _types(code: ThreadCode, value: ir.Value) -> list[ir.Type]:
    if isinstance(value.type, ir.VectorType):
        return [scalar_type(value.type)] * code.layouts[value].size
    return [scalar_type(value.type)]


def then(condition: ir.Value) -> ir.Operation:
    """A branch for what is built in front of the op."""
    branch = scf.IfOp(condition)
    with ir.InsertionPoint(branch.operation.regions[0].blocks[0]):
        return scf.YieldOp([]).operation


HANDLERS = {"scf.for": for_loop, "scf.if": branch}
