"""Utilities of passes on control flow: bodies, what they see from outside, equality, inlining, smaller
ops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mlc.bindings import func, ir, outermost_op, parent_op, tensor
from mlc.bindings.operations import address
from mlc.dialects import graph
from mlc.dialects.graph.dims.function_dims import NAMES
from mlc.passes.common.rewriting import attributes_of, erase_op, users
from mlc.passes.graph.shapes.infer_shapes import referenced_symbols

IF, LOOP, YIELD = graph.If.NAME, graph.Loop.NAME, graph.Yield.NAME


def body_of(op: ir.Operation, index: int = 0) -> ir.Block:
    """The block of a region of `op`."""
    return op.regions[index].blocks[0]


def operations(block: ir.Block) -> list[ir.Operation]:
    """The ops of a body, without the yield."""
    return [op.operation for op in block.operations][:-1]


def yields(block: ir.Block) -> list[ir.Value]:
    """Returns the values that a body yields."""
    return list(graph.yield_of(block).operands)


def is_inside(value: ir.Value, op: ir.Operation) -> bool:
    """Whether the value is made in a region of `op`."""
    owner = value.owner
    around = owner.owner.operation if isinstance(owner, ir.Block) else parent_op(owner)
    while around is not None:
        if address(around) == address(op):
            return True
        around = parent_op(around)
    return False


def inputs(op: ir.Operation) -> Iterator[ir.Value]:
    """The operands of `op`, and the values around it that its regions use."""
    yield from op.operands
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from (value for value in inputs(inner.operation) if not is_inside(value, op))


def replace_value(old: ir.Value, new: ir.Value) -> None:
    """Replaces all uses. Where `new` has another type, graph ops and returns see that (`graph-infer-shapes`
    then spreads it), other ops see a cast to the old type.
    """
    if old.type != new.type:
        for user in users(old):
            if not user.name.startswith("graph.") and not _follows(user):
                _use_cast(user, old, new)
    old.replace_all_uses_with(new)


def _follows(user: ir.Operation) -> bool:
    """Whether `user` is the return of a function that nobody refers to, whose signature may change."""
    function = parent_op(user)
    if not func.Return.isa(user) or function is None:
        return False
    return function.attributes["sym_name"].value not in referenced_symbols(outermost_op(user))


def _use_cast(user: ir.Operation, old: ir.Value, new: ir.Value) -> None:
    with ir.InsertionPoint(user), user.location:
        cast = tensor.cast(old.type, new)
    for position, operand in enumerate(user.operands):
        if operand == old:
            user.operands[position] = cast


def inline(op: ir.Operation, block: ir.Block, arguments: Sequence[ir.Value] = ()) -> list[ir.Value]:
    """Moves the ops of a body of `op` before it; returns the values that the body yields."""
    for formal, actual in zip(block.arguments, arguments, strict=True):
        replace_value(formal, actual)
    for inner in operations(block):
        inner.move_before(op)
    return yields(block)


def replace_results(op: ir.Operation, values: Sequence[ir.Value]) -> None:
    """As `replace_op`, for values that may have other types than the results."""
    for old, new in zip(op.results, values, strict=True):
        replace_value(old, new)
    erase_op(op)


def set_yields(block: ir.Block, values: Sequence[ir.Value]) -> None:
    """Has a body yield these values."""
    old = graph.yield_of(block)
    with ir.InsertionPoint(old), old.location:
        graph.build_yield(values)
    erase_op(old)


def keep_results(op: ir.Operation, operands: Sequence[ir.Value], kept: Sequence[int]) -> None:
    """Replaces a control-flow op whose bodies yield less by one with these operands and the results
    `kept`."""
    blocks = [region.blocks[0] for region in op.regions]
    types = [op.results[index].type for index in kept]
    smaller = graph.build_control(op.name.removeprefix("graph."), operands, types, blocks)
    if NAMES in op.attributes:
        smaller.attributes[NAMES] = ir.ArrayAttr.get([op.attributes[NAMES][index] for index in kept])
    for index, result in zip(kept, smaller.results, strict=True):
        op.results[index].replace_all_uses_with(result)
    erase_op(op)


def same_op(one: ir.Operation, other: ir.Operation, pairs: Mapping[ir.Value, ir.Value] | None = None) -> bool:
    """Whether two graph ops do the same to the same values; `pairs` maps values of one to those of the
    other."""
    known = dict(pairs or {})
    if one.name != other.name or not one.name.startswith("graph."):
        return False
    if [value.type for value in one.results] != [value.type for value in other.results]:
        return False
    if [known.get(value, value) for value in one.operands] != list(other.operands):
        return False
    return attributes_of(one) == attributes_of(other) and all(
        same_block(first.blocks[0], second.blocks[0], known)
        for first, second in zip(one.regions, other.regions, strict=True)
    )


def same_block(one: ir.Block, other: ir.Block, pairs: Mapping[ir.Value, ir.Value] | None = None) -> bool:
    """Whether two bodies do the same, op by op in the same order."""
    if len(one.operations) != len(other.operations) or len(one.arguments) != len(other.arguments):
        return False
    known = dict(pairs or {}) | dict(zip(one.arguments, other.arguments, strict=True))
    for first, second in zip(one.operations, other.operations, strict=True):
        if not same_op(first.operation, second.operation, known):
            return False
        known.update(zip(first.operation.results, second.operation.results, strict=True))
    return True
