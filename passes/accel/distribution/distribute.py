"""accel-distribute: distributes the program of a thread block to its threads."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import ir, llvm
from mlc.dialects import accel
from mlc.dialects.accel import cluster_of
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.captures import dynamic_dims
from mlc.passes.accel.common.integers import Integer
from mlc.passes.accel.common.shared_memory import plan
from mlc.passes.accel.distribution.architectures import architecture_of
from mlc.passes.accel.distribution.kernel import LaunchKernel, device_module, kernel_name
from mlc.passes.accel.distribution.layout_assignment import assign_layouts
from mlc.passes.accel.threads.common import (
    control,
    elementwise,
    mma,
    reductions,
    shared,
    small_floats,
    transfers,
)
from mlc.passes.accel.threads.common.architecture import Architecture
from mlc.passes.accel.threads.common.code import Handler, ThreadCode, ThreadMemref
from mlc.passes.base import Pass, PassError
from mlc.passes.common.constants import i32_attribute
from mlc.passes.common.rewriting import collect_ops

_HANDLERS: dict[str, Handler] = {
    **elementwise.HANDLERS,
    **control.HANDLERS,
    **mma.HANDLERS,
    **reductions.HANDLERS,
    **shared.HANDLERS,
    **small_floats.HANDLERS,
    **transfers.HANDLERS,
}


@dataclass(frozen=True)
class Distribute(Pass):
    """Distributes the program of each launch to the threads of its blocks, for the GPU that is the module's
    target.

    Every vector has a layout, which maps its elements to threads: the matrix instructions determine those of
    `accel.mma`, reductions have lanes along the last dim, and loads and stores access 16 bytes at a time if
    the memory allows it. Tiles change between layouts through shared memory. A launch becomes an `llvm.func`
    in the `gpu.module` @kernels, on pointers to global memory (multiples of 16 bytes), and a
    `gpu.launch_func`.

    For sm_90a, an accel.mma on large tiles becomes `wgmma`, warps may have roles (accel-specialize-warps),
    and copies that end at semaphores are by TMA: their tensor maps are parameters, which the kernel's
    attribute `accel.tensor_maps` describes.

    For AMD's GPUs (gfx90a, gfx942) a wavefront of 64 threads is two warps of the launch, or the only one.
    """

    name: ClassVar[str] = "accel-distribute"

    def run(self, op: ir.Operation) -> bool:
        launches = collect_ops(op, accel.Launch.NAME)
        if not launches:
            return False
        op.attributes["gpu.container_module"] = ir.UnitAttr.get()
        architecture, body = architecture_of(op), device_module(op)
        for index, launch in enumerate(launches):
            with launch.location:
                distribute(launch, body, kernel_name(launch, index), architecture)
        return True


def distribute(launch: ir.Operation, body: ir.Block, name: str, architecture: Architecture) -> None:
    """Creates the kernel `name` at the end of `body`, and replaces `launch` by its launch.

    Raises PassError for clusters on GPUs without them, and if the kernel needs too much shared memory.
    """
    if prod(cluster_of(launch)) > 1 and not architecture.clusters:
        raise PassError("only blocks of sm_90a can be in clusters", launch.location)
    kernel = LaunchKernel.of(launch, name, architecture)
    code = _thread_code(launch, architecture)
    function = kernel.declare(body)
    entry = llvm.LLVMFunc(function).entry_block
    with ir.InsertionPoint(entry):
        _bind(code, kernel, launch, list(entry.arguments))
        for op in kernel.taken.constants:
            code.emit(op)
        code.emit_block(accel.Launch(launch).entry_block)
        llvm.ReturnOp()
    used, limit = code.shared.total, architecture.shared_limit
    if used > limit:
        raise PassError(f"needs {used} bytes of shared memory, of which a block has {limit}", launch.location)
    function.attributes["accel.shared_bytes"] = i32_attribute(used)
    with ir.InsertionPoint(launch):
        kernel.launch(launch, used)
    launch.erase()


def _thread_code(launch: ir.Operation, architecture: Architecture) -> ThreadCode:
    """The state of emission of a launch: its handlers, layouts and shared memory."""
    code = ThreadCode(
        architecture,
        architecture.warps(accel.Launch(launch).warps),
        assign_layouts(launch, architecture),
        {**_HANDLERS, **architecture.handlers},
        plan(launch, architecture.alignment),
    )
    architecture.prepare(code, launch)
    return code


def _bind(code: ThreadCode, kernel: LaunchKernel, launch: ir.Operation, parameters: list[ir.Value]) -> None:
    """Binds the launch's arguments and captures to values of the kernel."""
    code.start()
    rest = iter(parameters)
    for value in kernel.taken.memrefs:
        pointer, shape, element = next(rest), value.type.shape, value.type.element_type
        dynamic = {dim: next(rest) for dim in dynamic_dims(value.type)}
        sizes = [dynamic.get(dim, extent) for dim, extent in enumerate(shape)]
        code.values[value] = ThreadMemref(pointer, tuple(sizes), _strides(sizes), element, False)
    for value in kernel.taken.scalars:
        code.values[value] = next(rest)
    code.tensor_maps.update(zip(kernel.maps, rest, strict=True))
    for dim, argument in enumerate(accel.Launch(launch).arguments):
        code.values[argument] = code.architecture.block_id(dim)


def _strides(sizes: list[Integer]) -> tuple[Integer, ...]:
    strides: list[Integer] = [1]
    for size in reversed(sizes[1:]):
        strides.append(integers.multiply(size, strides[-1]))
    return tuple(reversed(strides))[-len(sizes) :] if sizes else ()
