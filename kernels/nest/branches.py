"""Conditional code: `scf.if`, whose results follow from both branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import ir, scf
from mlc.kernels.errors import KernelError
from mlc.kernels.nest.nest_state import NestBuilder
from mlc.kernels.scalars import Scalar, to_type

Side = Callable[[], Sequence[Scalar]]


def branch(condition: ir.Value, then: Side, otherwise: Side, nest: NestBuilder) -> list[Scalar]:
    """Builds both branches of `condition`; returns the results, for which pairs of values get one type."""
    if str(condition.type) != "i1":
        raise KernelError(f"a condition is a bool, but this is {condition.type}")
    scratch = ir.Operation.create(scf.If.NAME, operands=[condition], regions=2)
    blocks = [region.blocks.append() for region in scratch.regions]
    given = []
    for block, side in zip(blocks, (then, otherwise), strict=True):
        with nest.inside(block, guarded=True):
            given.append(list(side()))
    pairs = list(zip(*given, strict=True))
    typed_sides = [_unify_types(pair, blocks) for pair in pairs]
    types = [pair[0].type for pair in typed_sides]
    result = ir.Operation.create(scf.If.NAME, results=types, operands=[condition], regions=2)
    for index, (block, region) in enumerate(zip(blocks, result.regions, strict=True)):
        with ir.InsertionPoint(block):
            scf.YieldOp([pair[index] for pair in typed_sides])
        block.append_to(region)
    scratch.erase()
    return list(result.results)


def _unify_types(pair: Sequence[Scalar], blocks: Sequence[ir.Block]) -> list[ir.Value]:
    """Returns both values, each built in its block, of one type."""
    values = [value for value in pair if isinstance(value, ir.Value)]
    if not values and all(isinstance(value, bool) for value in pair):
        type_: ir.Type = ir.IntegerType.get_signless(1)
    elif not values:
        raise KernelError("both branches are Python scalars; give one a type, as in f32(1.0)")
    else:
        type_ = values[0].type
    result = []
    for value, block in zip(pair, blocks, strict=True):
        with ir.InsertionPoint(block):
            result.append(to_type(value, type_))
    return result


def conditional(
    condition: Scalar, then: Callable[[], Scalar], otherwise: Callable[[], Scalar], nest: NestBuilder
) -> Scalar:
    """Returns one of two values, of which only the chosen one is computed."""
    if not isinstance(condition, ir.Value):
        return then() if condition else otherwise()
    [result] = branch(condition, lambda: [then()], lambda: [otherwise()], nest)
    return result
