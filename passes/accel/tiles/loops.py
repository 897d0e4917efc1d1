"""Loops within a block, which carry tiles."""

from __future__ import annotations

from mlc.bindings import ir, scf
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.meanings import Tile
from mlc.passes.rewriting import attributes_of, terminator_of

# What a loop says about how a GPU runs it.
_KEPT = "accel."


def for_loop(code: Emission, op: ir.Operation) -> None:
    """`scf.for` that carries vectors in place of tensors."""
    lower, upper, step = (code.scalar(each) for each in list(op.operands)[:3])
    body = op.regions[0].blocks[0]
    initial = [code.values[each] for each in list(op.operands)[3:]]
    code.wait()
    loop = scf.ForOp(
        lower, upper, step, [each.vector if isinstance(each, Tile) else each for each in initial]
    )
    code.values[body.arguments[0]] = loop.induction_variable
    carried = list(loop.inner_iter_args)
    _bind(code, list(body.arguments)[1:], carried, initial)
    with ir.InsertionPoint(loop.body):
        code.emit_block(body)
        code.wait()
        yielded = [code.values[each] for each in terminator_of(body).operands]
        scf.YieldOp([each.vector if isinstance(each, Tile) else each for each in yielded])
    for name, attribute in attributes_of(op).items():
        if name.startswith(_KEPT):
            loop.operation.attributes[name] = attribute
    _bind(code, list(op.results), list(loop.operation.results), initial)


def _bind(code: Emission, old: list[ir.Value], new: list[ir.Value], like: list) -> None:
    for target, value, meaning in zip(old, new, like, strict=True):
        code.values[target] = Tile(value, meaning.extents) if isinstance(meaning, Tile) else value


HANDLERS = {"scf.for": for_loop}
