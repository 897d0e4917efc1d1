"""The command `mlc profile`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.compile_options import compile_options
from mlc.tools.mlc.error_messages import ToolError
from mlc.tools.mlc.input_options import input_options
from mlc.tools.mlc.model_loading import call, load_or_compile
from mlc.tools.mlc.option_types import FilePath, FiniteRange
from mlc.tools.mlc.session import CommandSession, output_options
from mlc.tools.mlc.specialise_option import settle

if TYPE_CHECKING:
    from mlc.compiler import Options


@click.command("profile", short_help="Say where the time of a model's calls goes, by kernel.")
@click.argument("model", type=FilePath())
@click.option(
    "--threads", type=click.IntRange(1, 256), metavar="N", help="Threads of a call (default: one per core)."
)
@click.option("--seconds", type=FiniteRange(min=0), default=2.0, show_default=True, help="Time of all calls.")
@click.option("--runs", type=click.IntRange(min=1), help="Calls, instead of --seconds.")
@click.option(
    "--warmup", type=click.IntRange(min=0), default=3, show_default=True, help="Calls before measuring."
)
@click.option("--top", type=click.IntRange(min=0), metavar="N", help="Only the N kernels that take longest.")
@click.option(
    "--peaks/--no-peaks", default=True, help="Measure this machine's peaks, to compare with (the default)."
)
@input_options
@compile_options
@output_options
def profile_command(
    session: CommandSession,
    *,
    flags: CompileFlags,
    model: str,
    threads: int | None,
    seconds: float,
    runs: int | None,
    warmup: int,
    top: int | None,
    peaks: bool,
    files: tuple[str, ...],
    archive: str | None,
    random_seed: int,
    int_range: tuple[int, int] | None,
) -> None:
    """Say where the time of calls of MODEL (.onnx, .mlir or .mlcx) goes: to which kernels, and to the host
    program around them.

    A row is a kernel with its launches per call; its time is that of one call, on average over the faster
    half of the calls. Rows add up to the call. GFLOP/s and GB/s count what a kernel must compute and move;
    "of peak" compares with multiply-adds of f32, and reads of memory, by as many threads; "cache" is for data
    that a cache gives faster. --verbose names all ONNX nodes. With --specialise=auto the program for the
    inputs' sizes is made before anything is measured.
    """
    from mlc.runtime.profiling.table import format_profile
    from mlc.tools.mlc.inputs import integer_bounds, random_inputs, read_inputs
    from mlc.tools.mlc.size_options import specs_of_call

    executable = load_or_compile(model, flags, session, threads, check=_refuse_gpus)
    given = read_inputs(executable.inputs, files, archive, executable.constant_inputs)
    specs = specs_of_call(executable, given, flags, session)
    inputs = random_inputs(specs, random_seed, int_range or integer_bounds(executable), given)
    settle(executable, lambda: call(executable, inputs))
    try:
        profile = executable.profile(inputs, calls=runs, seconds=seconds, warmup=warmup)
    except (TypeError, ValueError) as error:
        raise ToolError(str(error)) from error
    if peaks:
        from mlc.tools.mlc.machine_peaks import measure_peaks

        profile = replace(profile, peaks=measure_peaks(profile.threads))
    data = {"model": model, **profile.to_json()}
    data["kernels"] = data["kernels"][:top]
    text = format_profile(profile, top, all_nodes=session.verbose)
    session.show(data, lambda console: console.print(text, soft_wrap=True))


def _refuse_gpus(options: Options) -> None:
    from mlc.compiler.code_path import code_paths

    path = code_paths(options)["main"]
    if path.on_gpu:
        raise ToolError(f"{path.target.name}: profiles of programs of GPUs are not supported")
