"""The kernel of a launch: its function on the device, and its launch by the host."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlc.bindings import arith, func, gpu, ir, llvm
from mlc.dialects import accel
from mlc.dialects.accel import cluster_of
from mlc.passes.accel.common.buffers import ends_at_semaphore, is_bulk
from mlc.passes.accel.common.captures import Captures, captures, pointer_to
from mlc.passes.accel.common.tensor_maps import TileTensorMap, sides_of, tensor_map, tensor_map_fault
from mlc.passes.accel.threads.common.architecture import Architecture
from mlc.passes.accel.threads.common.code import SHARED_MEMORY
from mlc.passes.base import PassError
from mlc.passes.common.constants import i32, integer_constant
from mlc.passes.common.rewriting import collect_ops

MODULE = "kernels"
_SHARED = "{addr_space = 3 : i32, alignment = 1024 : i64}"
_TENSOR_MAP = "!llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}"


def device_module(module: ir.Operation) -> ir.Block:
    """Creates a gpu.module with the symbol of dynamic shared memory; returns its block."""
    with ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0]), module.location:
        created = gpu.GPUModuleOp(ir.StringAttr.get(MODULE)).operation
        blocks = created.regions[0].blocks
        body = blocks[0] if len(blocks) else blocks.append()
        _insert(body, f"llvm.mlir.global external @{SHARED_MEMORY}() {_SHARED} : !llvm.array<0 x i8>")
    return body


def _insert(body: ir.Block, text: str) -> ir.Operation:
    op = ir.Operation.parse(text).operation
    ir.InsertionPoint(body).insert(op)
    return op


def kernel_name(launch: ir.Operation, index: int) -> str:
    """Names a launch's kernel by its function and `index`. Raises PassError if it is in no function."""
    function = launch.parent
    while function is not None and not func.Func.isa(function):
        function = function.operation.parent
    if function is None:
        raise PassError("a launch must be in a function", launch.location)
    return f"{func.Func(function).sym_name}_{index}"


@dataclass(frozen=True)
class LaunchKernel:
    """The kernel of a launch. Its parameters are those of `taken`, then the tensor maps `maps`. `cluster` has
    the extents of a cluster in blocks."""

    name: str
    architecture: Architecture
    threads: int
    cluster: tuple[int, int, int]
    taken: Captures
    maps: tuple[tuple[ir.Value, TileTensorMap], ...]

    @staticmethod
    def of(launch: ir.Operation, name: str, architecture: Architecture) -> LaunchKernel:
        """Returns the kernel of a launch. Raises PassError for memrefs that are not dense, and for copies
        that TMA cannot execute but must."""
        roles = collect_ops(launch, accel.Specialize.NAME)
        producers = sum(accel.Specialize(role).producer_warps for role in roles)
        warps = architecture.warps(accel.Launch(launch).warps) + producers
        threads = warps << architecture.lane_bits
        x, y, z = [*cluster_of(launch), 1, 1][:3]
        maps = _tensor_maps(launch) if architecture.has_tma else ()
        return LaunchKernel(name, architecture, threads, (x, y, z), captures(launch), maps)

    def declare(self, body: ir.Block) -> ir.Operation:
        """Creates the function, with an empty body, at the end of a block."""
        types = [*map(str, self.taken.parameter_types()), *[_TENSOR_MAP] * len(self.maps)]
        parameters = ", ".join(f"%{i}: {parameter}" for i, parameter in enumerate(types))
        attributes = f"{{gpu.kernel, {self.architecture.kernel_attributes(self.threads, self.cluster)}}}"
        text = f"llvm.func @{self.name}({parameters}) attributes {attributes} {{ llvm.unreachable }}"
        function = _insert(body, text)
        llvm.LLVMFunc(function).entry_block.operations[0].operation.erase()
        if self.maps:
            first = len(types) - len(self.maps)
            function.attributes["accel.tensor_maps"] = ir.ArrayAttr.get(
                [
                    tensor_map.attribute(first + i, self.taken.pointer_index(memref))
                    for i, (memref, tensor_map) in enumerate(self.maps)
                ]
            )
        return function

    def launch(self, launch: ir.Operation, shared_bytes: int) -> None:
        """Builds the launch before `launch`."""
        index = ir.IndexType.get()
        one = arith.ConstantOp(index, 1).result
        grid = [*accel.Launch(launch).grid, one, one][:3]
        threads = arith.ConstantOp(index, self.threads).result
        size = integer_constant(i32(), shared_bytes)
        mapped = [pointer_to(memref, "!llvm.ptr") for memref, _ in self.maps]
        cluster = [arith.ConstantOp(index, blocks).result for blocks in self.cluster]
        gpu.LaunchFuncOp(
            [MODULE, self.name],
            tuple(grid),
            (threads, one, one),
            kernel_operands=[*self.taken.arguments(), *mapped],
            dynamic_shared_memory_size=size,
            cluster_size=tuple(cluster) if prod(self.cluster) > 1 else None,
        )


def _tensor_maps(launch: ir.Operation) -> tuple[tuple[ir.Value, TileTensorMap], ...]:
    """The memrefs that TMA copies, with their tensor maps."""
    maps: dict[tuple[ir.Value, TileTensorMap], None] = {}
    for copy in collect_ops(launch, accel.Copy.NAME):
        if ends_at_semaphore(copy) or is_bulk(copy):
            if fault := tensor_map_fault(copy):
                raise PassError(fault, copy.location)
            maps[sides_of(copy)[0], tensor_map(copy)] = None
    return tuple(maps)
