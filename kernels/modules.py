"""Modules around kernels, and their compilation."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mlc.bindings import func, ir
from mlc.compiler import Options, compile_program, worker_pool
from mlc.dialects import create_context
from mlc.dialects.tloop import build_launch
from mlc.kernels.specialisation import Specialisation

if TYPE_CHECKING:
    from mlc.codegen.pool import WorkerPool
    from mlc.runtime import Executable


def kernel_module(special: Specialisation) -> ir.Module:
    """A module with the kernel alone. Raises KernelFailure."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.create()
        special.build(module.operation)
        return module


def program_module(special: Specialisation) -> ir.Module:
    """A module whose `@main` launches the kernel. Raises KernelFailure."""
    module = kernel_module(special)
    kernel = module.body.operations[0].operation
    kind = kernel.attributes["function_type"].value
    with module.context, ir.Location.unknown(), ir.InsertionPoint.at_block_begin(module.body):
        main = func.FuncOp("main", kind)
        main.arg_attrs = [_named(each.name) for each in special.signature.inputs]
        main.operation.attributes["res_attrs"] = ir.ArrayAttr.get(
            [_named(name) for name in _results(special, kind)]
        )
        with ir.InsertionPoint(main.add_entry_block()):
            launch = build_launch(kernel.attributes["sym_name"].value, main.arguments, kind.results)
            func.ReturnOp(list(launch.results))
    return module


def _named(name: str) -> ir.DictAttr:
    return ir.DictAttr.get({"graph.name": ir.StringAttr.get(name)})


def _results(special: Specialisation, kind: ir.FunctionType) -> list[str]:
    declared = [each.name for each in special.signature.outputs]
    return declared or [f"output{index}" for index in range(len(kind.results))]


@cache
def _pool() -> WorkerPool:
    """Workers that all kernels of this process share; they end with it."""
    return worker_pool()


def compile_kernel(special: Specialisation, target: str, threads: int | None) -> Executable:
    """Compiles a program that launches the kernel. Raises KernelFailure, mlc.CompileError."""
    options = Options(target=target, pool=_pool())
    return compile_program(program_module(special), options).executable(threads)
