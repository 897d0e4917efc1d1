"""cache_read and cache_write of structured computations, through upstream's transforms."""

from __future__ import annotations

from mlc.bindings import ir, scf, tensor
from mlc.passes.common.named_blocks import BLOCK_TAG
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import HANDLE, match
from mlc.passes.schedule.structured.packing_steps import structured

# Marks the op whose operand is promoted, while the script runs.
PENDING = "tloop.new.reader"


def cache_read(op: ir.Operation, state: ScheduleState) -> None:
    """The slice that the loop's body takes of the input becomes a tensor of its own."""
    block = structured(op.operands[0], state)
    inputs = int(block.attributes["operandSegmentSizes"][0])
    position = op.attributes["operand"].value
    if position >= inputs:
        raise StepError(f"the block has {inputs} inputs; there is no operand {position}")
    _promote(op, state, block, position)


def cache_write(op: ir.Operation, state: ScheduleState) -> None:
    """The slice that the loop's body updates becomes a tensor of its own, and is inserted when it is done."""
    block = structured(op.operands[0], state)
    _promote(op, state, block, int(block.attributes["operandSegmentSizes"][0]))


def _promote(op: ir.Operation, state: ScheduleState, block: ir.Operation, position: int) -> None:
    user, operand = _first_use(block, position, state.targets(op.operands[1])[0])
    user.attributes[PENDING] = ir.UnitAttr.get()
    name = op.attributes["block_name"].value
    state.name(op.results[0], f'{BLOCK_TAG} = "{name}"')
    state.run(
        match("u", PENDING),
        f"%v = transform.get_operand %u[{operand}] : ({HANDLE}) -> !transform.any_value",
        "%t = transform.structured.promote_tensor %v : !transform.any_value",
    )
    del user.attributes[PENDING]
    _name(user.operands[operand], name)


def _name(value: ir.Value, name: str) -> None:
    """Tags the copy that defines `value`."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        raise StepError("upstream made no copy")
    owner.operation.attributes[BLOCK_TAG] = ir.StringAttr.get(name)


def _first_use(block: ir.Operation, position: int, loop: ir.Operation) -> tuple[ir.Operation, int]:
    """The op in the loop's body, and its operand, by which what the block reads comes into the body."""
    body, op = loop.regions[0].blocks[0], block
    while True:
        value = op.operands[position]
        owner = value.owner
        if op.block == body:
            return op, position
        if not isinstance(owner, ir.Block) and owner.name == tensor.ExtractSlice.NAME:
            op, position = owner.operation, 0
            continue
        carried = _carried(value)
        if carried is None:
            raise StepError("what the block reads is not a slice of what the loop's body has")
        op, position = carried


def _carried(value: ir.Value) -> tuple[ir.Operation, int] | None:
    """The loop that carries `value`, and the operand with its initial value."""
    owner = value.owner
    if not isinstance(owner, ir.Block) or owner.owner is None or not scf.For.isa(owner.owner):
        return None
    loop = owner.owner.operation
    at = [argument == value for argument in owner.arguments].index(True)
    return loop, len(loop.operands) - len(loop.results) + at - 1
