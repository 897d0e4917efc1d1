"""The options that the commands that compile share; they become `CompileFlags`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any

import click

from mlc.tools.mlc.compile_flags import HOST, CompileFlags
from mlc.tools.mlc.option_types import FilePath
from mlc.tools.mlc.session import R


def compile_options(function: Callable[..., R]) -> Callable[..., R]:
    """Adds the options of a compilation; the command gets them as `flags`."""
    return _with_options(function, (*_GRAPH_OPTIONS, *_CODE_OPTIONS))


def graph_options(function: Callable[..., R]) -> Callable[..., R]:
    """Adds those of the graph level alone, for commands that make no code."""
    return _with_options(function, _GRAPH_OPTIONS)


def _with_options(function: Callable[..., R], options: Sequence[Callable[..., Any]]) -> Callable[..., R]:
    @wraps(function)
    def command(**values: Any) -> R:
        """Calls the command with its flags as one argument."""
        flags = CompileFlags(**{name: values.pop(name) for name in _NAMES if name in values})
        return function(flags=flags, **values)

    result: Callable[..., R] = command
    for option in reversed(options):
        result = option(result)
    return result


def _one_name(_ctx: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Checks that each value of a repeated option is one name."""
    for name in names:
        if "," in name:
            repeated = " ".join(f"{parameter.opts[0]} {pass_name}" for pass_name in name.split(","))
            raise click.BadParameter(f"'{name}': one pass each time: {repeated}")
    return names


_NAMES = [field.name for field in fields(CompileFlags)]
_GRAPH_OPTIONS = (
    click.option(
        "--target",
        "--target-cpu",
        "target_cpu",
        default=HOST,
        metavar="NAME",
        help="Compile for this processor, GPU, or target of a plugin ('mlc targets' lists them).",
    ),
    click.option(
        "--target-triple",
        default="",
        metavar="TRIPLE",
        help="The processor's triple, for names of LLVM's that are not listed: aarch64-linux-gnu.",
    ),
    click.option(
        "--target-features",
        default="",
        metavar="LIST",
        help="Features to add to the processor's or to take away: +avx512bf16,-sse4a.",
    ),
    click.option(
        "--dim",
        "dims",
        multiple=True,
        metavar="NAME=N|A..B",
        help="Fix a dynamic dim of the model by name, or bound it: batch=1, seq=1..512.",
    ),
    click.option(
        "--shape",
        "shapes",
        multiple=True,
        metavar="INPUT:AxBxC",
        help="Give an input's shape: x:1x3x224x224; ? or -1 leaves a dim open. The size of a dim with a "
        "name holds for all inputs.",
    ),
    click.option(
        "--independent-dim",
        multiple=True,
        metavar="NAME",
        help="Let the dims of this name have separate sizes (may be repeated).",
    ),
    click.option(
        "--disable-pass",
        multiple=True,
        callback=_one_name,
        metavar="NAME",
        help="Leave a pass out of the graph-level pipelines (may be repeated).",
    ),
    click.option(
        "--replace-pass",
        multiple=True,
        metavar="NAME=PIPELINE",
        help="Run this instead of a pass: graph-form-kernels='graph-form-kernels{fuse=false}'.",
    ),
    click.option(
        "--exactness",
        type=click.Choice(["exact", "rounding", "approximate"]),
        default="rounding",
        show_default=True,
        help="What graph-level passes may do to results.",
    ),
    click.option(
        "--schedule-file",
        type=FilePath(dir_okay=False),
        metavar="FILE",
        help="MLIR with tloop.schedule ops that replace kernels' default schedules, by name or pattern.",
    ),
    click.option(
        "--precision",
        type=click.Choice(["f32", "tf32", "f16", "bf16"]),
        default="f32",
        show_default=True,
        help="Round the operands of f32 products and convolutions to this type; sums stay f32.",
    ),
    click.option(
        "--load-plugin",
        multiple=True,
        type=FilePath(),
        metavar="PATH",
        help="Load passes, operators and targets from a Python file, or a package's folder, with "
        "register(registry).",
    ),
    click.option(
        "--import-budget",
        multiple=True,
        metavar="LIMIT=N",
        help="Let an ONNX model expand to more than usual: nodes, constant_bytes, elements or seconds=N (may "
        "be repeated).",
    ),
)
_CODE_OPTIONS = (
    click.option(
        "--jobs",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Worker processes (default: one per core).",
    ),
    click.option(
        "--blocks-on-cpu",
        is_flag=True,
        help="With a GPU as target: run its programs of thread blocks on this machine, to compare results.",
    ),
    click.option(
        "--cubin", is_flag=True, help="With a GPU as target: what NVIDIA's assembler makes, instead of PTX."
    ),
    click.option(
        "--unsupported",
        type=click.Choice(["error", "cpu"]),
        default="error",
        show_default=True,
        help="With a GPU as target: what becomes of ops that thread blocks cannot compute; cpu: the "
        "processor computes them.",
    ),
    click.option(
        "--unchecked-indices",
        is_flag=True,
        help="Clamp indices that are out of range, and give 0 for integers divided by 0; by default such a "
        "call fails.",
    ),
    click.option(
        "--specialise",
        multiple=True,
        metavar="auto|off|DIM=N,...",
        help="Also compile for these sizes of all dims that stay (may be repeated); auto: for those that "
        "come often when it runs (default: off).",
    ),
    click.option("--cache/--no-cache", default=True, help="Use the compile cache on disk (the default)."),
    click.option(
        "--cache-dir",
        type=FilePath(file_okay=False),
        metavar="DIR",
        help="The cache's folder ('mlc cache' shows it).",
    ),
)
