"""The path from a model to a program that runs."""

from mlc.compiler.build import worker_pool
from mlc.compiler.driver import compile_program
from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.compiler.programs.program import CompiledProgram

__all__ = ["CompileError", "CompiledProgram", "Options", "compile_program", "worker_pool"]
