"""accel-distribute: the program of a thread block becomes the code of each of its threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, gpu, ir, llvm
from mlc.passes.accel.assign_layouts import assign_layouts
from mlc.passes.accel.captures import Captures, captures, dynamic_dims
from mlc.passes.accel.shared_memory import plan
from mlc.passes.accel.threads import control, elementwise, numbers, products, reductions, shared, transfers
from mlc.passes.accel.threads.architecture import Architecture
from mlc.passes.accel.threads.architectures import ARCHITECTURES, DEFAULT
from mlc.passes.accel.threads.code import SHARED_MEMORY, Handler, Memory, ThreadCode
from mlc.passes.accel.threads.numbers import Number
from mlc.passes.base import Pass, PassFailure, option
from mlc.passes.rewriting import collect_ops

MODULE = "kernels"
_SHARED = "{addr_space = 3 : i32, alignment = 1024 : i64}"
_HANDLERS: dict[str, Handler] = {
    **elementwise.HANDLERS,
    **control.HANDLERS,
    **products.HANDLERS,
    **reductions.HANDLERS,
    **shared.HANDLERS,
    **transfers.HANDLERS,
}


@dataclass(frozen=True)
class Distribute(Pass):
    """Gives each thread of a launch its part of the block's program.

    Every vector has a layout, which says what each thread holds of it: those of `accel.mma` follow from the
    tensor units' instructions, reductions have lanes along the last dim, and loads and stores take 16 bytes
    at a time where the memory allows it; where two meet, tiles pass through shared memory. A launch becomes a
    `llvm.func` in the `gpu.module` @kernels, on pointers to global memory (multiples of 16 bytes), and a
    `gpu.launch_func`.

    For AMD's GPUs ("gfx90a", "gfx942") a wavefront of 64 threads is two warps of the launch, or the only one.
    """

    name: ClassVar[str] = "accel-distribute"
    arch: str = option(DEFAULT, help="the GPU, as LLVM calls it", choices=tuple(ARCHITECTURES))

    def run(self, op: ir.Operation) -> bool:
        launches = collect_ops(op, "accel.launch")
        if not launches:
            return False
        op.attributes["gpu.container_module"] = ir.UnitAttr.get()
        body = _device_module(op)
        for number, launch in enumerate(launches):
            with launch.location:
                distribute(launch, body, _kernel_name(launch, number), ARCHITECTURES[self.arch])
        return True


def _device_module(module: ir.Operation) -> ir.Block:
    """The contents of a new gpu.module, with the symbol of dynamic shared memory."""
    with ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0]), module.location:
        made = gpu.GPUModuleOp(ir.StringAttr.get(MODULE)).operation
        blocks = made.regions[0].blocks
        body = blocks[0] if len(blocks) else blocks.append()
        _insert(body, f"llvm.mlir.global external @{SHARED_MEMORY}() {_SHARED} : !llvm.array<0 x i8>")
    return body


def _insert(body: ir.Block, text: str) -> ir.Operation:
    op = ir.Operation.parse(text).operation
    ir.InsertionPoint(body).insert(op)
    return op


def _kernel_name(launch: ir.Operation, number: int) -> str:
    function = launch.parent
    while function.operation.name != "func.func":
        function = function.operation.parent
    return f"{ir.StringAttr(function.operation.attributes['sym_name']).value}_{number}"


def distribute(launch: ir.Operation, body: ir.Block, name: str, architecture: Architecture) -> None:
    """Makes the kernel `name` at the end of `body`, and launches it in place of `launch`.

    Raises PassFailure for clusters, and for more shared memory than there is.
    """
    if "cluster" in launch.attributes and launch.attributes["cluster"].value > 1:
        raise PassFailure("blocks in clusters are not distributed to threads yet", launch.location)
    taken = captures(launch)
    code = ThreadCode(
        architecture,
        architecture.warps(launch.attributes["warps"].value),
        assign_layouts(launch, architecture),
        {**_HANDLERS, **architecture.handlers},
        plan(launch),
    )
    kernel = _kernel(body, name, taken, code)
    entry = kernel.regions[0].blocks[0]
    with ir.InsertionPoint(entry):
        _emit(code, launch, taken, entry)
        llvm.ReturnOp()
    used, limit = code.shared.total, architecture.shared_limit
    if used > limit:
        raise PassFailure(
            f"needs {used} bytes of shared memory, of which a block has {limit}", launch.location
        )
    kernel.attributes["accel.shared_bytes"] = ir.IntegerAttr.get(numbers.i32(), code.shared.total)
    with ir.InsertionPoint(launch):
        _launch(launch, taken, name, code)
    launch.erase()


def _kernel(body: ir.Block, name: str, taken: Captures, code: ThreadCode) -> ir.Operation:
    parameters = ", ".join(f"%{number}: {kind}" for number, kind in enumerate(taken.parameter_types()))
    attributes = code.architecture.kernel_attributes(code.threads)
    text = f"llvm.func @{name}({parameters}) attributes {{gpu.kernel, {attributes}}} {{ llvm.unreachable }}"
    kernel = _insert(body, text)
    kernel.regions[0].blocks[0].operations[0].operation.erase()
    return kernel


def _emit(code: ThreadCode, launch: ir.Operation, taken: Captures, entry: ir.Block) -> None:
    code.start()
    arguments = iter(entry.arguments)
    for value in taken.memrefs:
        pointer, kind = next(arguments), value.type
        dynamic = {dim: next(arguments) for dim in dynamic_dims(kind)}
        sizes = [dynamic.get(dim, kind.shape[dim]) for dim in range(kind.rank)]
        code.values[value] = Memory(pointer, tuple(sizes), _strides(sizes), kind.element_type, False)
    for value in taken.scalars:
        code.values[value] = next(arguments)
    body = launch.regions[0].blocks[0]
    for dim, argument in enumerate(body.arguments):
        code.values[argument] = code.architecture.block(dim)
    for op in taken.constants:
        code.emit(op)
    code.emit_block(body)


def _strides(sizes: list[Number]) -> tuple[Number, ...]:
    strides: list[Number] = [1]
    for size in reversed(sizes[1:]):
        strides.append(numbers.multiply(size, strides[-1]))
    return tuple(reversed(strides))[-len(sizes) :] if sizes else ()


def _launch(launch: ir.Operation, taken: Captures, name: str, code: ThreadCode) -> None:
    index = ir.IndexType.get()
    one = arith.ConstantOp(index, 1).result
    grid = [*launch.operands, one, one][:3]
    threads = arith.ConstantOp(index, code.threads).result
    shared_bytes = arith.ConstantOp(
        numbers.i32(), ir.IntegerAttr.get(numbers.i32(), code.shared.total)
    ).result
    gpu.LaunchFuncOp(
        [MODULE, name],
        tuple(grid),
        (threads, one, one),
        kernel_operands=taken.arguments(),
        dynamic_shared_memory_size=shared_bytes,
    )
