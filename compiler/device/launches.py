"""Reads the launches of a kernel whose blocks have become threads."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mlc.bindings import arith, func, gpu, ir, llvm, memref
from mlc.bindings.operations import address
from mlc.compiler.device.kernel import KernelLaunch
from mlc.passes.base import PassError
from mlc.passes.common.kernel_functions import is_kernel, is_workspace
from mlc.passes.common.rewriting import collect_ops
from mlc.runtime.cuda.driver.tensor_map import TensorMapSpec
from mlc.runtime.cuda.plan.parts import (
    BufferOffset,
    PlanKernel,
    PlanParameter,
    PointerParameter,
    ScalarParameter,
    TensorMapParameter,
)
from mlc.targets import GpuTarget

# Bytes: a line of the device's cache.
WORKSPACE_ALIGNMENT = 128
LAUNCH, TENSOR_MAPS, OVERLAP = gpu.LaunchFunc.NAME, "accel.tensor_maps", "accel.overlap_launches"
EARLY_READS = "accel.early_reads"
# Ops that compute a launch's operands.
_OPERANDS = frozenset(
    (
        *(arith.Constant.NAME, arith.IndexCast.NAME, llvm.IntToPtr.NAME),
        *(memref.ExtractAlignedPointerAsIndex.NAME, memref.CollapseShape.NAME, memref.ExpandShape.NAME),
    )
)

# The entries of a tensor map that are no fields of TensorMapSpec: its parameter, and that of its memory.
_POSITIONS = ("parameter", "pointer")


def read_launches(module: ir.Operation, target: GpuTarget) -> tuple[KernelLaunch, ...]:
    """Returns the launches of the one kernel of a module, in order. Raises PassError unless they are a
    straight line that `target` can run."""
    kernel, workspace = _kernel_of(module), read_workspace(module)
    functions = {llvm.LLVMFunc(op).sym_name: op for op in collect_ops(module, llvm.LLVMFunc.NAME)}
    return tuple(_launch(op, functions[_function_name(op)], target, workspace) for op in _launch_ops(kernel))


@dataclass(frozen=True)
class Workspace:
    """The offset of each `memref.alloc` of a kernel in `nbytes` bytes of memory, which are the buffer after
    its `arguments`."""

    arguments: int
    offsets: dict[int, int]
    nbytes: int

    def offset_of(self, alloc: ir.Operation) -> BufferOffset:
        """Returns the buffer and offset of an allocation."""
        return BufferOffset(self.arguments, self.offsets[address(alloc)])


def read_workspace(module: ir.Operation) -> Workspace:
    """Returns the memory that the launches of the one kernel of a module share."""
    kernel = _kernel_of(module)
    offsets: dict[int, int] = {}
    end = 0
    for op in collect_ops(kernel, memref.Alloc.NAME):
        type_ = ir.MemRefType(memref.Alloc(op).memref.type)
        offsets[address(op)] = end
        nbytes = math.prod(type_.shape) * (max(type_.element_type.width, 8) // 8)
        end += -(-nbytes // WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT
    return Workspace(len(kernel.regions[0].blocks[0].arguments), offsets, end)


def _kernel_of(module: ir.Operation) -> ir.Operation:
    return next(op.operation for op in module.regions[0].blocks[0] if is_kernel(op.operation))


def _launch_ops(kernel: ir.Operation) -> Iterator[ir.Operation]:
    for op in [op.operation for op in kernel.regions[0].blocks[0].operations]:
        if op.name == LAUNCH:
            yield op
        elif op.name not in _OPERANDS and op.name != func.Return.NAME and not is_workspace(op):
            raise PassError(f"'{op.name}' cannot stand between the launches of a kernel", op.location)


def _launch(
    op: ir.Operation, function: ir.Operation, target: GpuTarget, workspace: Workspace
) -> KernelLaunch:
    launch = gpu.LaunchFunc(op)
    grid = _sizes(launch.grid_size_x, launch.grid_size_y, launch.grid_size_z)
    block = _sizes(launch.block_size_x, launch.block_size_y, launch.block_size_z)
    cluster = _sizes(launch.cluster_size_x, launch.cluster_size_y, launch.cluster_size_z)
    shared_size = launch.dynamic_shared_memory_size
    shared = 0 if shared_size is None else _constant(shared_size)
    if shared > target.shared_bytes:
        raise PassError(
            f"a block needs {shared} bytes of shared memory; {target.name} has {target.shared_bytes}",
            op.location,
        )
    overlap = OVERLAP in function.attributes
    early = tuple(function.attributes[EARLY_READS]) if EARLY_READS in function.attributes else ()
    kernel = PlanKernel(0, llvm.LLVMFunc(function).sym_name, grid, block, cluster, shared, overlap, early)
    maps, operands = _tensor_maps(function), enumerate(launch.kernel_operands)
    return KernelLaunch(
        kernel, tuple(_parameter(operand, maps.get(index), workspace) for index, operand in operands)
    )


def _sizes(*sizes: ir.Value | None) -> tuple[int, int, int]:
    x, y, z = (1 if size is None else _constant(size) for size in sizes)
    return x, y, z


def _parameter(value: ir.Value, tensor_map: TensorMapSpec | None, workspace: Workspace) -> PlanParameter:
    if tensor_map is not None:
        return TensorMapParameter(_buffer_offset(value, workspace), tensor_map)
    if str(value.type).startswith("!llvm.ptr"):
        address = _buffer_offset(value, workspace)
        return PointerParameter(address.buffer, address.offset)
    return ScalarParameter(str(value.type), _constant(value))


def _tensor_maps(function: ir.Operation) -> dict[int, TensorMapSpec]:
    """Returns the tensor maps that a function takes, by the position of the parameter (docs/gpu.md)."""
    if TENSOR_MAPS not in function.attributes:
        return {}
    entries = map(ir.DictAttr, ir.ArrayAttr(function.attributes[TENSOR_MAPS]))
    return {int(entry["parameter"].value): _tensor_map(entry) for entry in entries}


def _tensor_map(entry: ir.DictAttr) -> TensorMapSpec:
    named = [entry[index] for index in range(len(entry))]
    fields = {attribute.name: _plain(attribute.attr) for attribute in named}
    return TensorMapSpec(**{name: value for name, value in fields.items() if name not in _POSITIONS})


def _plain(attribute: ir.Attribute) -> Any:
    """Returns the string, int, or tuple of ints of an attribute."""
    if isinstance(attribute, ir.DenseI64ArrayAttr):
        return tuple(attribute)
    return attribute.value


def _buffer_offset(value: ir.Value, workspace: Workspace) -> BufferOffset:
    """Returns the kernel's argument, or the part of its workspace, whose address a pointer is."""
    while not isinstance(value, ir.BlockArgument):
        op = value.owner.operation
        if is_workspace(op):
            return workspace.offset_of(op)
        if op.name not in _OPERANDS or not len(op.operands):
            raise PassError(f"'{op.name}' is no argument of the kernel", op.location)
        value = op.operands[0]
    return BufferOffset(int(value.arg_number))


def _constant(value: ir.Value) -> int:
    """Returns a constant; raises PassError for a value that is not known when the program is planned."""
    if isinstance(value, ir.BlockArgument) or value.owner.name != arith.Constant.NAME:
        raise PassError("a launch's sizes and scalars must be constants", value.location)
    return int(ir.IntegerAttr(arith.Constant(value.owner).value).value)


def _function_name(launch: ir.Operation) -> str:
    return str(ir.SymbolRefAttr(gpu.LaunchFunc(launch).kernel).value[-1])
