"""The primitives cache_read and cache_write of structured computations, through upstream's transforms."""

from __future__ import annotations

from mlc.bindings import ir, scf, tensor
from mlc.dialects import tloop
from mlc.passes.common.named_blocks import BLOCK_TAG
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import HANDLE, match
from mlc.passes.schedule.structured.packing_steps import single_computation

# Marks the op whose operand is promoted, while the script runs.
PENDING = "tloop.new.reader"


def cache_read(op: ir.Operation, state: ScheduleState) -> None:
    """Copies the slice of the input that the loop's body reads to a separate tensor."""
    step = tloop.CacheRead(op)
    block = single_computation(step.block, state)
    inputs = int(block.attributes["operandSegmentSizes"][0])
    if step.operand >= inputs:
        raise StepError(f"the block has {inputs} inputs; there is no operand {step.operand}")
    _promote(step, state, block, step.operand)


def cache_write(op: ir.Operation, state: ScheduleState) -> None:
    """Updates the slice of the loop's body in a separate tensor, which is inserted at the end."""
    step = tloop.CacheWrite(op)
    block = single_computation(step.block, state)
    _promote(step, state, block, int(block.attributes["operandSegmentSizes"][0]))


def _promote(
    step: tloop.CacheRead | tloop.CacheWrite, state: ScheduleState, block: ir.Operation, position: int
) -> None:
    user, operand = _first_use(block, position, state.targets(step.loop)[0])
    user.attributes[PENDING] = ir.UnitAttr.get()
    state.name(step.cache, f'{BLOCK_TAG} = "{step.block_name}"')
    state.run(
        match("u", PENDING),
        f"%v = transform.get_operand %u[{operand}] : ({HANDLE}) -> !transform.any_value",
        "%t = transform.structured.promote_tensor %v : !transform.any_value",
    )
    del user.attributes[PENDING]
    _name(user.operands[operand], step.block_name)


def _name(value: ir.Value, name: str) -> None:
    """Tags the copy that defines `value`."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        raise StepError("upstream made no copy")
    owner.operation.attributes[BLOCK_TAG] = ir.StringAttr.get(name)


def _first_use(block: ir.Operation, position: int, loop: ir.Operation) -> tuple[ir.Operation, int]:
    """Returns the op in the loop's body, and the position of its operand, that has what the block reads."""
    body, op = loop.regions[0].blocks[0], block
    while True:
        value = op.operands[position]
        owner = value.owner
        if op.block == body:
            return op, position
        if not isinstance(owner, ir.Block) and owner.name == tensor.ExtractSlice.NAME:
            op, position = owner.operation, 0
            continue
        carried = _initial_operand(value)
        if carried is None:
            raise StepError("what the block reads is not a slice of what the loop's body has")
        op, position = carried


def _initial_operand(value: ir.Value) -> tuple[ir.Operation, int] | None:
    """Returns the loop that carries `value`, and the position of the operand with its initial value."""
    owner = value.owner
    if not isinstance(owner, ir.Block) or owner.owner is None or not scf.For.isa(owner.owner):
        return None
    loop = owner.owner.operation
    at = [argument == value for argument in owner.arguments].index(True)
    return loop, len(loop.operands) - len(loop.results) + at - 1
