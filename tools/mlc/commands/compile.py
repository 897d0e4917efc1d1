"""The command `mlc compile`."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlc.tools.mlc.commands.compile_output import SUFFIXES, output_path
from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.compile_options import compile_options
from mlc.tools.mlc.error_messages import ToolError
from mlc.tools.mlc.model_loading import show_log
from mlc.tools.mlc.option_types import FilePath
from mlc.tools.mlc.session import CommandSession, output_options
from mlc.tools.mlc.specialise_option import format_sizes

if TYPE_CHECKING:
    from rich.console import Console

    from mlc.compiler import Options
    from mlc.compiler.code_path import CodePath


@click.command("compile", short_help="Compile a model.")
@click.argument("model", type=FilePath())
@click.option("-o", "--output", type=FilePath(), help="The file to write (default: the model's name, here).")
@click.option(
    "--emit", type=click.Choice(list(SUFFIXES)), default="mlcx", show_default=True, help="What to write."
)
@click.option("--embed-weights", is_flag=True, help="Put the weights inside the shared library.")
@click.option("--cc", metavar="COMMAND", help="The C compiler that links a shared library (cc).")
@click.option(
    "--dump-ir",
    type=FilePath(file_okay=False),
    metavar="DIR",
    help="Also write the IR at each level into DIR.",
)
@click.option(
    "--dump-kernel",
    "kernels",
    multiple=True,
    metavar="PATTERN",
    help="With --dump-ir: only kernels of this name.",
)
@click.option(
    "--reproducer-dir",
    type=FilePath(file_okay=False, exists=True),
    metavar="DIR",
    help="Where a failure's IR goes.",
)
@compile_options
@output_options
def compile_command(
    session: CommandSession,
    *,
    flags: CompileFlags,
    model: str,
    output: str | None,
    emit: str,
    embed_weights: bool,
    cc: str | None,
    dump_ir: str | None,
    kernels: tuple[str, ...],
    reproducer_dir: str | None,
) -> None:
    """Compile MODEL (.onnx, or .mlir of the graph dialect) to an executable file, or to code.

    'mlc run' and mlc.load take the executable file (.mlcx). --emit=shared-lib also writes a C header and,
    unless they are embedded, the weights.
    """
    for flag, given in (("--embed-weights", embed_weights), ("--cc", cc)):
        if given and emit != "shared-lib":
            raise click.UsageError(f"{flag} needs --emit=shared-lib")
    if kernels and not dump_ir:
        raise click.UsageError("--dump-kernel needs --dump-ir")
    target = output_path(model, output, emit, session)
    show_log(session)
    start = time.perf_counter()
    with session.progress() as progress:
        from dataclasses import replace

        options = replace(flags.options(progress), reproducer_dir=reproducer_dir)
        path = _code_path(options, emit)
        data: dict[str, Any] = {
            "model": model,
            "output": target,
            "emit": emit,
            "target_cpu": _machine(path),
        }
        if dump_ir:
            data["ir_files"] = _dump(model, options, dump_ir, kernels)
        if emit in ("mlcx", "shared-lib"):
            library = {"embed_weights": embed_weights, "cc": cc or "cc"} if emit == "shared-lib" else None
            data |= _build(model, options, target, library)
        else:
            _emit(model, options, target, emit)
    data["total_seconds"] = round(time.perf_counter() - start, 4)
    if target != "-":
        data["output_bytes"] = os.path.getsize(target)

    def render(console: Console) -> None:
        """Prints the table."""
        from mlc.tools.mlc.commands.report import render_compilation

        render_compilation(console, data, verbose=session.verbose)

    session.show(data, render, stderr=target == "-")


def _code_path(options: Options, emit: str) -> CodePath:
    """Returns the path from program to code. Raises ToolError if the path cannot emit `emit`."""
    from mlc.compiler.code_path import code_paths

    path = code_paths(options)["main"]
    texts = f"asm ({path.assembly}), llvm-ir, mlir"
    if path.is_text_only and emit in ("mlcx", "shared-lib", "obj"):
        raise ToolError(
            f"--emit={emit} is not for {path.machine.name}: nothing links, loads or runs code for it; there"
            f" are {texts}, and --blocks-on-cpu"
        )
    if path.on_gpu and emit in ("shared-lib", "obj"):
        raise ToolError(f"--emit={emit} is not for {path.machine.name}; there are mlcx, {texts}")
    if emit == "mlcx" and not path.is_loadable:
        raise ToolError(
            f"--emit=mlcx is not for {path.machine.name} ({path.machine.triple}): executable files run on"
            f" x86-64 Linux alone; there are shared-lib, with --cc for it, obj, {texts}"
        )
    return path


def _machine(path: CodePath) -> str:
    """Returns the processor or GPU that the program is compiled for."""
    if path.on_gpu:
        return path.machine.name
    blocks = "" if path.machine is path.target else f", blocks of {path.target.name}"
    return f"{path.machine.cpu}{blocks}"


def _dump(model: str, options: Options, folder: str, kernels: tuple[str, ...]) -> list[str]:
    from mlc.compiler.dump import dump_ir

    return [str(path) for path in dump_ir(model, options, Path(folder), kernels or ("*",))]


def _build(model: str, options: Options, target: str, library: Mapping[str, Any] | None) -> dict[str, Any]:
    """Compiles and writes an executable file, or a shared library with the options `library`.

    Returns the compiler's report, with the time to write.
    """
    from mlc.compiler import compile_program

    program = compile_program(model, options)
    options.progress("writing", 0, 1)
    start = time.perf_counter()
    files = {}
    if library is None:
        program.save(target)
    else:
        made = program.save_shared_library(target, **library)
        files = {"header": str(made.header), "weights": str(made.weights) if made.weights else None}
    seconds = program.report["seconds"] | {"write": round(time.perf_counter() - start, 4)}
    return {
        **files,
        "report": {**program.report, "seconds": seconds},
        "weight_bytes": sum(weight.nbytes for weight in program.weights),
        "specialised": [format_sizes(sizes) for sizes, _ in program.specialised],
    }


def _emit(model: str, options: Options, target: str, emit: Any) -> None:
    """Writes code or MLIR."""
    from mlc.tools.mlc.output_files import write_file

    if emit == "mlir":
        from mlc.compiler.levels import planned_module

        text = planned_module(model, options).operation.get_asm(assume_verified=True)
        write_file(target, text if text.endswith("\n") else f"{text}\n")
        return
    from mlc.compiler.emit import emit_program

    write_file(target, emit_program(model, options, emit))
