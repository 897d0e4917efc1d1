"""Building loops, and putting them in the place of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import affine, ir, scf
from mlc.passes.common.constants import index_constant
from mlc.passes.schedule.common.loops import NAME, Loop
from mlc.passes.schedule.common.state import LOOP_TAG


def extra_attributes(op: ir.Operation) -> dict[str, ir.Attribute]:
    """The tags and annotations of a loop: what must survive when it is built anew."""
    return {name: each for name, each in op.attributes.items() if "." in name}


def renamed(attributes: dict[str, ir.Attribute], suffix: str) -> dict[str, ir.Attribute]:
    """`attributes` with the loop's name, if it has one, made different by `suffix`."""
    if NAME not in attributes:
        return attributes
    return attributes | {NAME: ir.StringAttr.get(attributes[NAME].value + suffix)}


@dataclass
class Bound:
    """A bound of a new loop: `results` are expressions over dims that stand for `operands`."""

    results: Sequence[ir.AffineExpr]
    operands: Sequence[ir.Value] = ()

    @classmethod
    def constant(cls, value: int) -> Bound:
        return cls([ir.AffineExpr.get_constant(value)])

    def map(self) -> ir.AffineMap:
        return ir.AffineMap.get(len(self.operands), 0, list(self.results))

    def value(self) -> ir.Value:
        """The bound as a value (the minimum), built at the insertion point."""
        first = self.results[0]
        if len(self.results) == 1 and isinstance(first, ir.AffineConstantExpr):
            return index_constant(ir.AffineConstantExpr(first).value)
        identity = ir.AffineMap.get_identity(1)
        if self.map() == identity:
            return self.operands[0]
        if len(self.results) > 1:
            kind = ir.IndexType.get()
            return ir.Operation.create(
                affine.AffineMin.NAME,
                [kind],
                list(self.operands),
                {"map": ir.AffineMapAttr.get(self.map())},
            ).results[0]
        return affine.AffineApplyOp(self.map(), list(self.operands)).result


def build_loop(
    kind: str,
    lower: Bound,
    upper: Bound,
    step: int,
    inits: Sequence[ir.Value],
    attributes: dict[str, ir.Attribute],
) -> Loop:
    """A loop with an empty body at the insertion point. The caller adds the terminator."""
    types = [init.type for init in inits]
    if kind == affine.AffineFor.NAME:
        own = {
            "lowerBoundMap": ir.AffineMapAttr.get(lower.map()),
            "upperBoundMap": ir.AffineMapAttr.get(upper.map()),
            "step": ir.IntegerAttr.get(ir.IndexType.get(), step),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get(
                [len(lower.operands), len(upper.operands), len(inits)]
            ),
        }
        operands = [*lower.operands, *upper.operands, *inits]
        op = ir.Operation.create(kind, types, operands, own | attributes, regions=1)
    else:
        operands = [lower.value(), upper.value(), index_constant(step), *inits]
        op = ir.Operation.create(kind, types, operands, attributes, regions=1)
    locations = [op.location] * (len(types) + 1)
    op.regions[0].blocks.append(ir.IndexType.get(), *types, arg_locs=locations)
    return Loop(op)


def end_loop(loop: Loop, values: Sequence[ir.Value]) -> None:
    """Adds the terminator, which yields `values`."""
    with ir.InsertionPoint(loop.body):
        name = affine.AffineYield.NAME if loop.is_affine else scf.Yield.NAME
        ir.Operation.create(name, [], list(values))


def kept_attributes(op: ir.Operation) -> dict[str, ir.Attribute]:
    """The attributes of a loop that are not handles' tags: they go to the loops that replace it."""
    return {name: each for name, each in extra_attributes(op).items() if not name.startswith(LOOP_TAG)}


def move_body(source: ir.Block, target: Loop) -> None:
    """Moves the ops of `source`, but its terminator, to the end of the body of `target`."""
    for op in [each.operation for each in source.operations][:-1]:
        target.body.append(op)


def replace_loop(old: Loop, results: Sequence[ir.Value]) -> None:
    """Erases `old`, whose results become `results`."""
    for mine, other in zip(old.op.results, results, strict=True):
        mine.replace_all_uses_with(other)
    old.op.erase()


def take_over(old: Loop, new: Loop) -> None:
    """Moves the body of `old` to the end of that of `new`, with what it carries, and ends the loop.

    The caller replaces the index."""
    for mine, other in zip(old.carried, new.carried, strict=True):
        mine.replace_all_uses_with(other)
    values = list(old.terminator.operands)
    move_body(old.body, new)
    end_loop(new, values)
