"""The regions of control flow: reading them as data, and building the ops that have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import ir, parent_op
from mlc.dialects.graph.ops.checking import CHECKS
from mlc.dialects.graph.ops.control import CONTROL_LIMIT, YIELD

from . import views
from .attributes import RESULT_SEGMENTS, SEGMENTS, segments
from .spec import OpSpec, RegionSignature, ShapeError, specs
from .types import tensor_of

CONTROL_OPS = (views.If.NAME, views.Loop.NAME)


def yield_of(block: ir.Block) -> ir.Operation:
    """Returns the `graph.yield` that ends a body of a verified op."""
    return block.operations[len(block.operations) - 1].operation


# With what graph-check-data makes of them.
_ENDING = {f"graph.{name}" for name in CHECKS} | {"tloop.expect_indices", "tloop.expect_nonzero"}


def has_effect(op: ir.Operation | ir.OpView) -> bool:
    """Whether an op, or one in its bodies, is a check, which may end the call: it must stay even if nothing
    reads its results."""
    if op.name in _ENDING:
        return True
    blocks = (block for region in op.regions for block in region.blocks)
    return any(has_effect(inner.operation) for block in blocks for inner in block.operations)


def read_bodies(spec: OpSpec, op: ir.Operation | ir.OpView) -> Mapping[str, RegionSignature]:
    """Returns the regions of an op by name; raises ShapeError for one that is no body."""
    if not spec.regions:
        if spec.name == YIELD:
            _check_parent(op)
        return {}
    return {name: _read_body(name, op.regions[index]) for index, name in enumerate(spec.regions)}


def _read_body(name: str, region: ir.Region) -> RegionSignature:
    blocks = list(region.blocks)
    if len(blocks) != 1:
        raise ShapeError(name, f"has {len(blocks)} blocks instead of one")
    (block,) = blocks
    if not len(block.operations) or yield_of(block).name != f"graph.{YIELD}":
        raise ShapeError(name, "does not end with graph.yield")
    arguments = (tensor_of(value.type, name) for value in block.arguments)
    return RegionSignature(
        tuple(arguments), tuple(tensor_of(value.type, name) for value in yield_of(block).operands)
    )


def _check_parent(op: ir.Operation | ir.OpView) -> None:
    parent = parent_op(op)
    if parent is None or parent.name not in CONTROL_OPS:
        where = "nothing" if parent is None else f"'{parent.name}'"
        raise ShapeError("values", f"must leave a body of graph.if or graph.loop, not of {where}")


def build_yield(values: Sequence[ir.Value]) -> ir.Operation:
    """Builds a `graph.yield` at the current insertion point and location."""
    attributes = {SEGMENTS: segments(len(values), CONTROL_LIMIT, ir.Location.current.context)}
    return ir.Operation.create(f"graph.{YIELD}", operands=list(values), attributes=attributes)


def build_control(
    name: str, operands: Sequence[ir.Value], results: Sequence[ir.Type], bodies: Sequence[ir.Block] = ()
) -> ir.Operation:
    """Builds a `graph.if` or `graph.loop` at the current insertion point and location, which takes over the
    blocks `bodies`; without them the regions get empty blocks without arguments, to be filled.

    The op is not checked: its bodies may still change. Raises ShapeError for more results than there may be.
    """
    if len(results) > CONTROL_LIMIT:
        raise ShapeError("results", f"number {len(results)}, over the {CONTROL_LIMIT} of graph.{name}")
    context, spec = ir.Location.current.context, specs()[name]
    attributes = {RESULT_SEGMENTS: segments(len(results), CONTROL_LIMIT, context)}
    if spec.operands[-1].variadicity == "variadic":
        most = len(spec.operands) - 1 + spec.operands[-1].most
        attributes[SEGMENTS] = segments(len(operands), most, context)
    op = ir.Operation.create(
        f"graph.{name}",
        results=list(results),
        operands=list(operands),
        attributes=attributes,
        regions=len(spec.regions),
    )
    for index, region in enumerate(op.regions):
        if bodies:
            bodies[index].append_to(region)
        else:
            ir.Block.create_at_start(region, [])
    return op
