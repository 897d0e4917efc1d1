"""Modules around kernels, and their compilation."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mlc.bindings import func, ir
from mlc.compiler import Options, compile_program, worker_pool
from mlc.compiler.sources.imported_module import Imported
from mlc.dialects import create_context
from mlc.dialects.tloop import build_launch
from mlc.frontends.weights.store import WeightStore
from mlc.kernels.errors import KernelError
from mlc.kernels.specialisation import Specialisation
from mlc.pipelines.driver import run_pipeline
from mlc.pipelines.pass_error import PassRunError

if TYPE_CHECKING:
    from mlc.codegen.pool import WorkerPool
    from mlc.runtime import Executable


def kernel_module(special: Specialisation) -> ir.Module:
    """A module with the kernel alone. Raises KernelError."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.create()
        special.build(module.operation)
        return module


def scheduled_module(special: Specialisation) -> ir.Module:
    """A module with the kernel alone, its schedule applied. Raises KernelError."""
    module = kernel_module(special)
    try:
        run_pipeline("builtin.module(tloop-apply-schedules)", module)
    except PassRunError as error:
        raise KernelError(f"the schedule of {special.signature.name}: {error}") from None
    return module


def kernel_program(special: Specialisation) -> Imported:
    """A program that launches the kernel. Raises KernelError."""
    module = kernel_module(special)
    kernel = module.body.operations[0].operation
    kind = kernel.attributes["function_type"].value
    inputs = [each.name for each in special.signature.inputs]
    with module.context, ir.Location.unknown(), ir.InsertionPoint.at_block_begin(module.body):
        main = func.FuncOp("main", kind)
        main.arg_attrs = [named(each) for each in inputs]
        with ir.InsertionPoint(main.add_entry_block()):
            launch = build_launch(kernel.attributes["sym_name"].value, main.arguments, kind.results)
            func.ReturnOp(list(launch.results))
    outputs = [output.name for output in special.signature.outputs]
    outputs = outputs or [f"output{index}" for index in range(len(kind.results))]
    return Imported(module, WeightStore(), special.signature.name, tuple(inputs), tuple(outputs))


def named(name: str) -> ir.DictAttr:
    """The attributes of an argument that the program's users know by `name`."""
    return ir.DictAttr.get({"graph.name": ir.StringAttr.get(name)})


@cache
def _pool() -> WorkerPool:
    """Workers that all kernels of this process share; they end with it."""
    return worker_pool()


def compile_kernel(special: Specialisation, target: str, threads: int | None) -> Executable:
    """Compiles a program that launches the kernel. Raises KernelError, mlc.CompileError."""
    return compile_imported(kernel_program(special), target, threads)


def compile_imported(imported: Imported, target: str, threads: int | None) -> Executable:
    """Compiles a module with its weights. Raises mlc.CompileError."""
    return compile_program(imported, Options(target=target, pool=_pool())).executable(threads)
