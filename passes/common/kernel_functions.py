"""Kernels in the IR: functions marked with the unit attribute `tloop.kernel`."""

from __future__ import annotations

from mlc.bindings import func, ir, memref
from mlc.dialects import tloop
from mlc.dialects.accel.compute import PRECISIONS
from mlc.passes.base import PassError

# Integer attribute of kernels: iterations of a parallel loop that are worth waking a thread.
LEAST_ITERATIONS = "tloop.least_iterations"

# Unit attribute of kernels whose work is not worth waking a thread.
ONE_THREAD = "tloop.one_thread"

MARK = "tloop.kernel"
# On a kernel of one result: the operands, of the result's shape, that it may overwrite.
IN_PLACE = "tloop.in_place"
# On the argument of a kernel's body that points to the sizes of its dims.
SIZES = "tloop.sizes"
# On a kernel whose last operand holds dynamic extents: the names of the dims of the others and of the
# results.
DIMS = "tloop.dims"
# On a kernel: the device that runs it, HOST where it is absent.
DEVICE, HOST = "tloop.device", "host"
# In a GPU's program, where HOST is the GPU: the device of kernels on the processor, and where transfers back
# go.
CPU, GPU = "cpu", "gpu"
# On a product, or on the kernel that holds it: how operands of f32 are multiplied.
PRECISION, EXACT = "accel.precision", "exact"

# On a `memref.alloc` of a kernel: its workspace, which lasts for all of its launches, and may be larger than
# a stack.
WORKSPACE = "tloop.workspace"

# On a `scf.while` whose body may be executed after its end, also where it has no iteration, and then changes
# none of its results.
SETTLES = "tloop.settles"


def is_workspace(op: ir.Operation) -> bool:
    """Whether `op` is the `memref.alloc` or the `memref.dealloc` of a kernel's workspace."""
    if op.name == memref.Dealloc.NAME and not isinstance(memref.Dealloc(op).memref, ir.BlockArgument):
        op = memref.Dealloc(op).memref.owner.operation
    return op.name == memref.Alloc.NAME and WORKSPACE in op.attributes


def is_kernel(op: ir.Operation) -> bool:
    """Whether `op` is a function marked as a kernel."""
    return op.name == func.Func.NAME and MARK in op.attributes


def is_on_tensors(kernel: ir.Operation) -> bool:
    """Whether a kernel returns what it computes: a program of thread blocks writes to memory."""
    return bool(func.Func(kernel).function_type.results)


def kernels_on_tensors(module: ir.Operation) -> list[ir.Operation]:
    """Returns the kernels of a module but those that are programs of thread blocks already."""
    ops = [op.operation for op in module.regions[0].blocks[0]]
    return [op for op in ops if is_kernel(op) and is_on_tensors(op)]


def device_of_kernel(kernel: ir.Operation) -> str:
    """Returns the device that runs a kernel."""
    return kernel.attributes[DEVICE].value if DEVICE in kernel.attributes else HOST


def precision_of(op: ir.Operation) -> str:
    """Returns how a matrix product, or a kernel with one, multiplies operands of f32: one of `accel.mma`'s
    precisions, EXACT without the attribute. Raises PassError for anything else."""
    if PRECISION not in op.attributes:
        return EXACT
    given = op.attributes[PRECISION]
    if isinstance(given, ir.StringAttr) and given.value in PRECISIONS:
        return str(given.value)
    known = " or ".join(f"'{precision}'" for precision in PRECISIONS)
    raise PassError(f"{PRECISION} must be {known}, but is {given}", op.location)


def schedules(module: ir.Operation) -> dict[str, ir.Operation]:
    """Returns the `tloop.schedule` ops of a module, by the kernel's name."""
    ops = [op.operation for op in module.regions[0].blocks[0]]
    return {tloop.Schedule(op).kernel: op for op in ops if op.name == tloop.Schedule.NAME}
