"""Reads the launches of a kernel whose blocks have become threads."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
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
# What computes a launch's operands.
_OPERANDS = frozenset(
    (
        *(arith.Constant.NAME, arith.IndexCast.NAME, llvm.IntToPtr.NAME),
        *(memref.ExtractAlignedPointerAsIndex.NAME, memref.CollapseShape.NAME, memref.ExpandShape.NAME),
    )
)
# Groups of operands of `gpu.launch_func`.
_GRID, _BLOCK, _CLUSTER = slice(1, 4), slice(4, 7), slice(7, 10)
_SHARED, _PARAMETERS = 10, 11
# What says which parameter a tensor map is, and where its memory is.
_NUMBERS = ("parameter", "pointer")


def read_launches(module: ir.Operation, target: GpuTarget) -> tuple[KernelLaunch, ...]:
    """The launches of the one kernel of a module, in order. Raises PassError for what is no straight line
    of launches, and for launches that `target` cannot run."""
    kernel, workspace = _kernel_of(module), read_workspace(module)
    functions = {_symbol(op): op for op in collect_ops(module, llvm.LLVMFunc.NAME)}
    return tuple(_launch(op, functions[_function_name(op)], target, workspace) for op in _launch_ops(kernel))


@dataclass(frozen=True)
class Workspace:
    """Where in `nbytes` bytes of memory, which count as the buffer behind a kernel's `arguments`, each
    `memref.alloc` of the kernel lies."""

    arguments: int
    offsets: dict[int, int]
    nbytes: int

    def place_of(self, alloc: ir.Operation) -> BufferOffset:
        return BufferOffset(self.arguments, self.offsets[address(alloc)])


def read_workspace(module: ir.Operation) -> Workspace:
    """Memory for what launches of the one kernel of a module leave for others."""
    kernel = _kernel_of(module)
    offsets: dict[int, int] = {}
    end = 0
    for op in collect_ops(kernel, memref.Alloc.NAME):
        kind = ir.MemRefType(memref.Alloc(op).memref.type)
        offsets[address(op)] = end
        nbytes = math.prod(kind.shape) * (max(kind.element_type.width, 8) // 8)
        end += -(-nbytes // WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT
    return Workspace(len(kernel.regions[0].blocks[0].arguments), offsets, end)


def _kernel_of(module: ir.Operation) -> ir.Operation:
    return next(each.operation for each in module.regions[0].blocks[0] if is_kernel(each.operation))


def _launch_ops(kernel: ir.Operation) -> Iterator[ir.Operation]:
    for op in [each.operation for each in kernel.regions[0].blocks[0].operations]:
        if op.name == LAUNCH:
            yield op
        elif op.name not in _OPERANDS and op.name != func.Return.NAME and not is_workspace(op):
            raise PassError(f"'{op.name}' cannot stand between the launches of a kernel", op.location)


def _launch(
    op: ir.Operation, function: ir.Operation, target: GpuTarget, workspace: Workspace
) -> KernelLaunch:
    groups = _groups(op)
    grid, block, cluster = (_sizes(groups[part]) for part in (_GRID, _BLOCK, _CLUSTER))
    shared = _number(groups[_SHARED][0]) if groups[_SHARED] else 0
    if shared > target.shared_bytes:
        raise PassError(
            f"a block needs {shared} bytes of shared memory; {target.name} has {target.shared_bytes}",
            op.location,
        )
    overlap = OVERLAP in function.attributes
    early = tuple(function.attributes[EARLY_READS]) if EARLY_READS in function.attributes else ()
    kernel = PlanKernel(0, _symbol(function), grid, block, cluster, shared, overlap, early)
    maps = _tensor_maps(function)
    parameters = groups[_PARAMETERS]
    return KernelLaunch(
        kernel,
        tuple(_parameter(parameter, maps.get(at), workspace) for at, parameter in enumerate(parameters)),
    )


def _groups(op: ir.Operation) -> list[list[ir.Value]]:
    """The operands in their groups, some of them empty."""
    sizes = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    operands = list(op.operands)
    return [operands[begin:end] for begin, end in pairwise(accumulate(sizes, initial=0))]


def _sizes(groups: list[list[ir.Value]]) -> tuple[int, int, int]:
    x, y, z = (_number(group[0]) if group else 1 for group in groups)
    return x, y, z


def _parameter(value: ir.Value, tensor_map: TensorMapSpec | None, workspace: Workspace) -> PlanParameter:
    if tensor_map is not None:
        return TensorMapParameter(_place(value, workspace), tensor_map)
    if str(value.type).startswith("!llvm.ptr"):
        place = _place(value, workspace)
        return PointerParameter(place.buffer, place.offset)
    return ScalarParameter(str(value.type), _number(value))


def _tensor_maps(function: ir.Operation) -> dict[int, TensorMapSpec]:
    """The tensor maps that a function takes, by the number of the parameter (docs/gpu.md)."""
    if TENSOR_MAPS not in function.attributes:
        return {}
    entries = [ir.DictAttr(each) for each in ir.ArrayAttr(function.attributes[TENSOR_MAPS])]
    return {int(entry["parameter"].value): _tensor_map(entry) for entry in entries}


def _tensor_map(entry: ir.DictAttr) -> TensorMapSpec:
    named = [entry[number] for number in range(len(entry))]
    fields = {each.name: _plain(each.attr) for each in named}
    return TensorMapSpec(**{name: value for name, value in fields.items() if name not in _NUMBERS})


def _plain(attribute: ir.Attribute) -> Any:
    """A text, a number, or a tuple of numbers."""
    if isinstance(attribute, ir.DenseI64ArrayAttr):
        return tuple(attribute)
    return attribute.value


def _place(value: ir.Value, workspace: Workspace) -> BufferOffset:
    """The kernel's argument, or the part of its workspace, whose address a pointer is."""
    while not isinstance(value, ir.BlockArgument):
        op = value.owner.operation
        if is_workspace(op):
            return workspace.place_of(op)
        if op.name not in _OPERANDS or not len(op.operands):
            raise PassError(f"'{op.name}' is no argument of the kernel", op.location)
        value = op.operands[0]
    return BufferOffset(int(value.arg_number))


def _number(value: ir.Value) -> int:
    """Raises PassError for what is not known when the program is planned."""
    if isinstance(value, ir.BlockArgument) or value.owner.name != arith.Constant.NAME:
        raise PassError("a launch's sizes and numbers must be constants", value.location)
    return int(ir.IntegerAttr(value.owner.attributes["value"]).value)


def _function_name(launch: ir.Operation) -> str:
    return str(ir.SymbolRefAttr(launch.attributes["kernel"]).value[-1])


def _symbol(function: ir.Operation) -> str:
    return str(ir.StringAttr(function.attributes["sym_name"]).value)
