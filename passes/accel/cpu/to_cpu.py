"""accel-to-cpu: lowers programs of thread blocks to the CPU, with tiles as tensors and shared memory as
buffers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from mlc.bindings import arith, bufferization, func, gpu, ir, linalg, scf, tensor, vector
from mlc.dialects import accel
from mlc.passes.accel.cpu.memory import (
    lower_alloc,
    lower_copy,
    lower_gather,
    lower_transfer_read,
    lower_transfer_write,
)
from mlc.passes.accel.cpu.products import lower_mma
from mlc.passes.accel.cpu.tiles import (
    lower_broadcast,
    lower_constant,
    lower_create_mask,
    lower_reduction,
    lower_shape_cast,
    lower_step,
    lower_transpose,
    writable_tensor,
)
from mlc.passes.accel.cpu.types import cpu_type
from mlc.passes.base import Pass, PassError
from mlc.passes.common.rewriting import (
    attributes_of,
    collect_ops,
    defining_op,
    erase_op,
    has_one_use,
    terminator_of,
)

# Lowers an op with its new operands; returns its new results, None for the token of a copy, which has ended.
Rule = Callable[[ir.Operation, list[Any]], Sequence[ir.Value | None]]


def _nothing(_op: ir.Operation, _operands: Sequence[ir.Value]) -> list[ir.Value]:
    """Lowers an op to nothing: copies have ended, and there is one thread."""
    return []


RULES: dict[str, Rule] = {
    accel.Alloc.NAME: lower_alloc,
    accel.Commit.NAME: _nothing,
    accel.Copy.NAME: lower_copy,
    accel.Mma.NAME: lower_mma,
    accel.Reuse.NAME: lower_alloc,
    accel.Wait.NAME: _nothing,
    accel.WaitGroups.NAME: _nothing,
    gpu.Barrier.NAME: _nothing,
    vector.Broadcast.NAME: lower_broadcast,
    vector.ConstantMask.NAME: lower_create_mask,
    vector.CreateMask.NAME: lower_create_mask,
    vector.Gather.NAME: lower_gather,
    vector.MultiDimReduction.NAME: lower_reduction,
    vector.ShapeCast.NAME: lower_shape_cast,
    vector.Step.NAME: lower_step,
    vector.TransferRead.NAME: lower_transfer_read,
    vector.TransferWrite.NAME: lower_transfer_write,
    vector.Transpose.NAME: lower_transpose,
}

# Ops that update an operand in place, by name: the position of the operand of the first result.
ACCUMULATOR = {linalg.Contract.NAME: 2, scf.For.NAME: 3}

ROLES = (accel.Await.NAME, accel.CreateSemaphore.NAME, accel.Notify.NAME, accel.Specialize.NAME)

# Other ops that may have tiles as operands and results: elementwise ops, and control flow.
WITH_TILES = ("arith.", "math.", scf.For.NAME, scf.If.NAME, scf.Yield.NAME)


class CpuEmitter:
    """Emits the ops of a function on the types of the CPU; `values` has the new value of each old one."""

    def __init__(self) -> None:
        self.values: dict[ir.Value, ir.Value | None] = {}

    def block(self, block: ir.Block) -> None:
        """Emits all ops of `block`, whose arguments have values, at the insertion point."""
        for op in block.operations:
            with op.location:
                self.emit(op.operation)

    def emit(self, op: ir.Operation) -> None:
        """Emits one op, at the insertion point."""
        results = self._lower(op, [self.values.get(operand, operand) for operand in op.operands])
        self.values.update(zip(op.results, results, strict=True))

    def _lower(self, op: ir.Operation, operands: list[ir.Value | None]) -> Sequence[ir.Value | None]:
        if op.name in ROLES:
            raise PassError(
                f"'{op.name}' op has no lowering to the CPU: lower the program before roles are given",
                op.location,
            )
        if op.name in RULES:
            return RULES[op.name](op, operands)
        if op.name == accel.Launch.NAME:
            return self._launch(op, operands)
        if any(operand is None for operand in operands):
            raise PassError(
                f"'{op.name}' op takes the token of a copy, which only accel.wait and accel.commit may here",
                op.location,
            )
        if not has_tiles(op):
            return self._clone(op, operands)
        if not op.name.startswith(WITH_TILES):
            raise PassError(f"'{op.name}' op on tiles has no lowering to the CPU", op.location)
        return lower_constant(op, operands) if op.name == arith.Constant.NAME else self._clone(op, operands)

    def _launch(self, op: ir.Operation, operands: Sequence[ir.Value]) -> list[ir.Value]:
        """Lowers a launch to a parallel loop over its blocks."""
        count = len(operands)
        loop = scf.ForallOp([0] * count, operands, [1] * count)
        body = accel.Launch(op).entry_block
        self.values.update(zip(body.arguments, loop.body.arguments, strict=True))
        with ir.InsertionPoint(loop.body):
            self.block(body)
            scf.InParallelOp()
        return []

    def _clone(self, op: ir.Operation, operands: list[ir.Value]) -> Sequence[ir.Value]:
        """Clones an op with the CPU's types, without attributes that control how a GPU executes it."""
        if op.name == scf.For.NAME:
            operands = [*operands[:3], *map(writable_tensor, operands[3:])]
        if op.name == scf.Yield.NAME and op.parent.operation.name == scf.For.NAME:
            arguments = [self.values[argument] for argument in list(op.block.arguments)[1:]]
            operands = write_carried(operands, arguments)
        types = [cpu_type(result.type) for result in op.results]
        attributes = {
            name: value for name, value in attributes_of(op).items() if not name.startswith("accel.")
        }
        new = ir.Operation.create(op.name, types, operands, attributes, regions=len(op.regions))
        for old, region in zip(op.regions, new.regions, strict=True):
            for block in old:
                self._body(block, region)
        return list(new.results)

    def _body(self, old: ir.Block, region: ir.Region) -> None:
        types = [cpu_type(argument.type) for argument in old.arguments]
        block = region.blocks.append(*types, arg_locs=[ir.Location.current] * len(types))
        self.values.update(zip(old.arguments, block.arguments, strict=True))
        with ir.InsertionPoint(block):
            self.block(old)


def has_tiles(op: ir.Operation) -> bool:
    """Whether an operand or a result is a vector."""
    return any(isinstance(operand.type, ir.VectorType) for operand in (*op.operands, *op.results))


def write_carried(values: Sequence[ir.Value], arguments: Sequence[ir.Value]) -> list[ir.Value]:
    """Writes the tensors that a loop yields to the memory of `arguments`, the current ones."""
    moved = [
        isinstance(value.type, ir.RankedTensorType) and not is_sum_into(value, argument, values)
        for value, argument in zip(values, arguments, strict=True)
    ]
    # All of them are read before the first one is written.
    kept = [_copy_of(value) if move else value for value, move in zip(values, moved, strict=True)]
    return [
        bufferization.MaterializeInDestinationOp(value.type, value, argument).result if move else value
        for value, argument, move in zip(kept, arguments, moved, strict=True)
    ]


def _copy_of(value: ir.Value) -> ir.Value:
    """Copies `value` unless it provably shares no memory with other values that the loop carries."""
    op = defining_op(value)
    if op is not None and _has_new_memory(op):
        return value
    return bufferization.AllocTensorOp(value.type, [], copy=value).result


def _has_new_memory(op: ir.Operation) -> bool:
    """Whether an op's result needs no memory of an operand: it is elementwise, or writes to an empty
    tensor."""
    if linalg.Generic.isa(op):
        return defining_op(linalg.Generic(op).outputs[-1], tensor.Empty.NAME) is not None
    return op.name.startswith(("arith.", "math."))


def is_sum_into(value: ir.Value, argument: ir.Value, values: Sequence[ir.Value]) -> bool:
    """Whether `value` is `argument`, or only adds to it, so that it is computed in place.

    Then no other op reads `argument`, and it is not another one of the `values` that the loop carries.
    """
    readers = 0
    while value != argument:
        op = defining_op(value)
        if op is None or op.name not in ACCUMULATOR or len(list(value.uses)) != readers:
            return False
        value, readers = op.operands[ACCUMULATOR[op.name] + value.result_number], 1
    return readers == 0 or (has_one_use(argument) and argument not in values)


def lower_function(function: ir.Operation) -> None:
    """Replaces the ops of a function by their lowerings. Raises PassError for ops that have none."""
    blocks = list(function.regions[0])
    if len(blocks) != 1:
        raise PassError("launches must be in a function of one block", function.location)
    _retype_arguments(function, blocks[0])
    end = terminator_of(blocks[0])
    old = [op.operation for op in blocks[0].operations if op.operation != end]
    program = CpuEmitter()
    with ir.InsertionPoint(end):
        for op in old:
            program.emit(op)
    for index, operand in enumerate(end.operands):
        end.operands[index] = program.values.get(operand, operand)
    for op in reversed(old):
        erase_op(op)


def _retype_arguments(function: ir.Operation, block: ir.Block) -> None:
    for argument in block.arguments:
        if isinstance(argument.type, ir.VectorType):
            raise PassError(f"a function with launches cannot take a {argument.type}", function.location)
        argument.set_type(cpu_type(argument.type))
    view = func.Func(function)
    inputs = [argument.type for argument in block.arguments]
    view.function_type = ir.FunctionType.get(inputs, ir.FunctionType(view.function_type).results)


@dataclass(frozen=True)
class AccelToCpu(Pass):
    """Lowers each `accel.launch` to a loop over blocks, `scf.forall`, whose tiles are tensors.

    Shared memory becomes buffers, copies become synchronous, and `accel.mma` becomes `linalg.contract`.
    Warps, clusters, stages of loops and swizzles are dropped: they do not change results. Programs whose
    warps have roles (`accel.specialize`) are rejected."""

    name: ClassVar[str] = "accel-to-cpu"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        if not collect_ops(op, accel.Launch.NAME):
            return False
        lower_function(op)
        return True
