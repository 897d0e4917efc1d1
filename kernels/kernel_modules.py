"""Modules around kernels, and their compilation."""

from __future__ import annotations

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
from mlc.threads import once

if TYPE_CHECKING:
    from mlc.codegen.pool import WorkerPool
    from mlc.runtime import Executable


def kernel_module(special: Specialisation) -> ir.Module:
    """Returns a module with the kernel alone. Raises KernelError."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.create()
        special.build(module.operation)
        return module


def scheduled_module(special: Specialisation) -> ir.Module:
    """Returns a module with the kernel alone, its schedule applied. Raises KernelError."""
    module = kernel_module(special)
    try:
        run_pipeline("builtin.module(tloop-apply-schedules)", module)
    except PassRunError as error:
        raise KernelError(f"the schedule of {special.signature.name}: {error}") from None
    return module


def kernel_program(special: Specialisation) -> Imported:
    """Returns a program that launches the kernel. Raises KernelError."""
    module = kernel_module(special)
    kernel = module.body.operations[0].operation
    type_ = func.Func(kernel).function_type
    inputs = [parameter.name for parameter in special.signature.inputs]
    with module.context, ir.Location.unknown(), ir.InsertionPoint.at_block_begin(module.body):
        main = func.FuncOp("main", type_)
        main.arg_attrs = list(map(name_attributes, inputs))
        with ir.InsertionPoint(main.add_entry_block()):
            launch = build_launch(func.Func(kernel).sym_name, main.arguments, type_.results)
            func.ReturnOp(list(launch.results))
    outputs = [output.name for output in special.signature.outputs]
    outputs = outputs or [f"output{index}" for index in range(len(type_.results))]
    return Imported(module, WeightStore(), special.signature.name, tuple(inputs), tuple(outputs))


def name_attributes(name: str) -> ir.DictAttr:
    """Returns the attributes of an argument that the program's users know by `name`."""
    return ir.DictAttr.get({"graph.name": ir.StringAttr.get(name)})


@once
def _pool() -> WorkerPool:
    """Returns workers that all kernels of this process share; they end with it."""
    return worker_pool()


def compile_kernel(special: Specialisation, target: str, threads: int | None) -> Executable:
    """Compiles a program that launches the kernel. Raises KernelError, mlc.CompileError."""
    return compile_imported(kernel_program(special), target, threads)


def compile_imported(imported: Imported, target: str, threads: int | None) -> Executable:
    """Compiles a module with its weights. Raises mlc.CompileError."""
    return compile_program(imported, Options(target=target, pool=_pool())).executable(threads)
