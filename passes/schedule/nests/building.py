"""Building loops, and replacing loops by others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import affine, ir, scf
from mlc.passes.common.constants import index_constant
from mlc.passes.schedule.common.loops import NAME, Loop
from mlc.passes.schedule.common.state import LOOP_TAG


def extra_attributes(op: ir.Operation) -> dict[str, ir.Attribute]:
    """Returns the tags and annotations of a loop, which a rebuilt loop keeps."""
    return {name: attribute for name, attribute in op.attributes.items() if "." in name}


def add_suffix(attributes: dict[str, ir.Attribute], suffix: str) -> dict[str, ir.Attribute]:
    """Returns the attributes with `suffix` added to the loop's name, if it has one."""
    if NAME not in attributes:
        return attributes
    return attributes | {NAME: ir.StringAttr.get(attributes[NAME].value + suffix)}


@dataclass
class Bound:
    """A bound of a new loop: `results` are expressions over dims that are bound to `operands`."""

    results: Sequence[ir.AffineExpr]
    operands: Sequence[ir.Value] = ()

    @classmethod
    def constant(cls, value: int) -> Bound:
        """Returns a constant bound."""
        return cls([ir.AffineExpr.get_constant(value)])

    def map(self) -> ir.AffineMap:
        """Returns the map of the operands."""
        return ir.AffineMap.get(len(self.operands), 0, list(self.results))

    def value(self) -> ir.Value:
        """Builds the bound as a value (the minimum) at the insertion point."""
        first = self.results[0]
        if len(self.results) == 1 and isinstance(first, ir.AffineConstantExpr):
            return index_constant(ir.AffineConstantExpr(first).value)
        identity = ir.AffineMap.get_identity(1)
        if self.map() == identity:
            return self.operands[0]
        if len(self.results) > 1:
            attributes = {"map": ir.AffineMapAttr.get(self.map())}
            types, operands = [ir.IndexType.get()], list(self.operands)
            return ir.Operation.create(affine.AffineMin.NAME, types, operands, attributes).result
        return affine.AffineApplyOp(self.map(), list(self.operands)).result


def build_loop(
    name: str,
    lower: Bound,
    upper: Bound,
    step: int,
    inits: Sequence[ir.Value],
    attributes: dict[str, ir.Attribute],
) -> Loop:
    """Builds a loop called `name` with an empty body. The caller adds the terminator."""
    types = [init.type for init in inits]
    if name == affine.AffineFor.NAME:
        own = {
            "lowerBoundMap": ir.AffineMapAttr.get(lower.map()),
            "upperBoundMap": ir.AffineMapAttr.get(upper.map()),
            "step": ir.IntegerAttr.get(ir.IndexType.get(), step),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get(
                [len(lower.operands), len(upper.operands), len(inits)]
            ),
        }
        operands = [*lower.operands, *upper.operands, *inits]
        op = ir.Operation.create(name, types, operands, own | attributes, regions=1)
    else:
        operands = [lower.value(), upper.value(), index_constant(step), *inits]
        op = ir.Operation.create(name, types, operands, attributes, regions=1)
    locations = [op.location] * (len(types) + 1)
    op.regions[0].blocks.append(ir.IndexType.get(), *types, arg_locs=locations)
    return Loop(op)


def end_loop(loop: Loop, values: Sequence[ir.Value]) -> None:
    """Adds the terminator, which yields `values`."""
    with ir.InsertionPoint(loop.body):
        name = affine.AffineYield.NAME if loop.is_affine else scf.Yield.NAME
        ir.Operation.create(name, [], list(values))


def kept_attributes(op: ir.Operation) -> dict[str, ir.Attribute]:
    """Returns the attributes of a loop that are not handles' tags: the loops that replace it get them."""
    extra = extra_attributes(op).items()
    return {name: attribute for name, attribute in extra if not name.startswith(LOOP_TAG)}


def move_body(source: ir.Block, target: Loop) -> None:
    """Moves the ops of `source`, but its terminator, to the end of the body of `target`."""
    for op in [op.operation for op in source.operations][:-1]:
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
