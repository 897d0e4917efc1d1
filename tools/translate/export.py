"""Translates the llvm dialect to code for CPUs: `--mlir-to-llvmir`, `--mlir-to-asm`, `--mlir-to-obj`."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.bindings.llvm_translation import translate_to_llvm_ir
from mlc.bindings.parsing import Listener
from mlc.codegen.emit import OutputFormat, emit
from mlc.codegen.host_target import resolve_target
from mlc.codegen.triples import chosen_target, machine_target
from mlc.targets import Target, TargetError
from mlc.tools.command_line import CommandLine, UsageError
from mlc.tools.translate.errors import TranslationError
from mlc.tools.translate.flags import optimization_level
from mlc.tools.translate.process import Translate

_DEFAULT_LEVEL = 3
_TARGET_FLAGS = ("target-triple", "target-cpu", "target-features")
_MODULE_TRIPLE = "llvm.target_triple"


def to_llvm_ir(line: CommandLine) -> Translate:
    """Translates to LLVM IR text, optimised if a level or a target is given. Raises `UsageError`."""
    level = optimization_level(line)
    if level is None and not any(line.is_given(flag) for flag in _TARGET_FLAGS):
        return lambda op, listener: translate_to_llvm_ir(op, listener=listener).encode()
    return _code(line, "llvm-ir", level or 0)


def to_assembly(line: CommandLine) -> Translate:
    """Translates to assembly text. Raises `UsageError`."""
    return _code(line, "asm", optimization_level(line))


def to_object(line: CommandLine) -> Translate:
    """Translates to an object file. Raises `UsageError`."""
    return _code(line, "object", optimization_level(line))


def _code(line: CommandLine, output: OutputFormat, level: int | None) -> Translate:
    target = _target(line)
    optimize = _DEFAULT_LEVEL if level is None else level

    def translate(op: ir.Operation, listener: Listener) -> bytes:
        """Translates one module."""
        text = translate_to_llvm_ir(op, listener=listener)
        return emit(text, target or _module_target(op), output, optimize, own_runtime=False)

    return translate


def _target(line: CommandLine) -> Target | None:
    """Returns the target that the flags name, None if they name none. Raises `UsageError`."""
    if not any(line.is_given(flag) for flag in _TARGET_FLAGS):
        return None
    try:
        return chosen_target(*(line.value(flag) for flag in _TARGET_FLAGS))
    except TargetError as error:
        raise UsageError(str(error)) from error


def _module_target(op: ir.Operation) -> Target:
    """Returns the target of the triple that the module names, or the host. Raises `TranslationError`."""
    if _MODULE_TRIPLE not in op.attributes:
        return resolve_target("host")
    try:
        return machine_target(ir.StringAttr(op.attributes[_MODULE_TRIPLE]).value)
    except TargetError as error:
        raise TranslationError(str(error)) from error
