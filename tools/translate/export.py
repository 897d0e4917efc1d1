"""`--mlir-to-llvmir` and `--mlir-to-obj`: modules of the llvm dialect to LLVM IR text and object files."""

from __future__ import annotations

from mlc import dialects
from mlc.bindings import DiagnosticsError, ir, llvm, parse_module
from mlc.tools.command_line import CommandLine, UsageError
from mlc.tools.sources import read_input, write_output
from mlc.tools.translate.errors import TranslationError

# Dialects that LLVM IR translation knows; other ops crash it.
_TRANSLATABLE = ("builtin.module", "llvm.", "omp.", "x86.", "nvvm.", "rocdl.")


def to_llvm_ir(line: CommandLine, path: str) -> None:
    """Writes LLVM IR as text. Raises `TranslationError` for ops that are not LLVM's."""
    write_output(line.value("o", "-"), _llvm_ir(path))


def to_object(line: CommandLine, path: str) -> None:
    """Writes an object file for `--target-cpu`. Raises `TranslationError`."""
    from mlc.codegen.emit import emit
    from mlc.codegen.errors import CodegenError
    from mlc.codegen.host import resolve_target
    from mlc.targets import TargetError

    try:
        target = resolve_target(line.value("target-cpu", "host"))
    except TargetError as error:
        raise UsageError(str(error)) from error
    text = _llvm_ir(path)
    try:
        write_output(line.value("o", "-"), emit(text, target, "object"))
    except CodegenError as error:
        raise TranslationError(f"{path}: {error}") from error


def _llvm_ir(path: str) -> str:
    name, raw = read_input(path)
    try:
        module = parse_module(raw.decode(errors="replace"), dialects.create_context(), name)
    except DiagnosticsError as error:
        raise TranslationError(str(error)) from error
    foreign = _foreign_ops(module)
    if foreign:
        raise TranslationError(
            f"{name}: not in the llvm dialect: {', '.join(foreign)}; lower it first with mlc-opt"
        )
    return llvm.translate_module_to_llvmir(module.operation)


def _foreign_ops(module: ir.Module) -> list[str]:
    """Names of ops that cannot be translated, each once."""
    found: dict[str, None] = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        if not op.name.startswith(_TRANSLATABLE):
            found[op.name] = None
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return list(found)
