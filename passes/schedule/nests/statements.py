"""Statements of a block, and the nests that hold nothing else."""

from __future__ import annotations

from mlc.bindings import address, func, ir, memref
from mlc.passes.schedule.common.loops import SEQUENTIAL, enclosing_loops, is_inside
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.accesses import LOADS, STORES, accesses, loads_of, root_of


def single(handle: ir.Value, state: ScheduleState) -> ir.Operation:
    """Returns the one op that the handle stands for. Raises StepError if there are several copies."""
    found = state.targets(handle)
    if len(found) != 1:
        raise StepError(f"it works on one, but an earlier step has made {len(found)} copies")
    return found[0]


def store_of(handle: ir.Value, state: ScheduleState) -> ir.Operation:
    """Returns the store that is the block. Raises StepError for structured computations."""
    op = single(handle, state)
    if op.name not in STORES:
        raise StepError(f"the block is a '{op.name}'; this primitive works on loops over memory")
    return op


def nest_apart(store: ir.Operation, loop: ir.Operation, role: str) -> ir.Operation:
    """Returns the outermost loop around `store` that does not also hold `loop`. Raises StepError, which calls
    the block by its `role`, if there is none, or if it is parallel or `loop` itself."""
    around = [outer for outer in enclosing_loops(store) if not is_inside(loop, outer)]
    if not around or around[0].name not in SEQUENTIAL or address(around[0]) == address(loop):
        raise StepError(f"the {role} has no separate loop nest outside of the loop")
    return around[0]


def buffer_of(store: ir.Operation) -> ir.Value:
    """Returns the buffer that a store writes. Raises StepError if it is only a part of one."""
    buffer, whole = root_of(store.operands[1])
    if not whole:
        raise StepError("the block writes a view of a buffer")
    return buffer


def check_writes_only(nest: ir.Operation, buffer: ir.Value) -> None:
    """Raises StepError if ops in `nest` write anything but `buffer`."""
    for access in accesses(nest):
        if access.writes and (access.buffer is None or access.buffer != buffer):
            raise StepError(f"its loop nest also does {access.text}")


def readers(kernel: ir.Operation, buffer: ir.Value) -> list[ir.Operation]:
    """Returns the loads from a buffer in the kernel. Raises StepError if other ops use it too."""
    loads = loads_of(kernel, buffer)
    known = {address(load) for load in loads}
    for use in buffer.uses:
        user = use.owner.operation
        if address(user) not in known and user.name not in (*STORES, memref.Dealloc.NAME):
            raise StepError(f"its buffer is also used by '{user.name}'")
    return loads


def is_temporary(buffer: ir.Value) -> bool:
    """Whether the kernel itself allocates the buffer, so that it is dead afterwards."""
    owner = buffer.owner
    return not isinstance(owner, ir.Block) and owner.name in (memref.Alloc.NAME, memref.Alloca.NAME)


def erase_buffer(buffer: ir.Value) -> None:
    """Drops an allocation that nothing reads or writes any more."""
    for use in list(buffer.uses):
        if use.owner.name == memref.Dealloc.NAME:
            use.owner.operation.erase()
    if next(iter(buffer.uses), None) is None:
        buffer.owner.operation.erase()


def block_between(first: ir.Operation, last: ir.Operation) -> list[ir.Operation]:
    """Returns the ops of one body from `first` to `last`, both included."""
    inside, found = False, []
    for op in [op.operation for op in first.block.operations]:
        inside = inside or address(op) == address(first)
        if inside:
            found.append(op)
        if address(op) == address(last):
            return found
    raise StepError("the producer stands after its consumer")


def ancestor_in(op: ir.Operation, block: ir.Block) -> ir.Operation:
    """Returns the op of `block` that holds `op`. Raises StepError if there is none."""
    current = op
    while current.block != block:
        if current.parent is None or func.Func.isa(current.parent):
            raise StepError("the block and the loop stand in different loops")
        current = current.parent.operation
    return current


def expression_of(store: ir.Operation) -> list[ir.Operation]:
    """Returns the ops of the store's body that compute the value which it writes, in program order."""
    wanted = {address(store)}
    ops = [op.operation for op in store.block.operations]
    for op in reversed(ops):
        if address(op) in wanted:
            owners = [value.owner for value in op.operands if not isinstance(value.owner, ir.Block)]
            wanted |= {address(owner.operation) for owner in owners}
    return [op for op in ops if address(op) in wanted - {address(store)}]


def operands_of(store: ir.Operation, position: int) -> list[ir.Operation]:
    """Returns the block's loads from one buffer, the one at `position` among those that it reads.

    Raises StepError if it reads fewer.
    """
    groups: list[list[ir.Operation]] = []
    for op in expression_of(store):
        if op.name not in LOADS:
            continue
        for group in groups:
            if group[0].operands[0] == op.operands[0]:
                group.append(op)
                break
        else:
            groups.append([op])
    if position >= len(groups):
        raise StepError(f"the block reads {len(groups)} buffers; there is no operand {position}")
    return groups[position]
