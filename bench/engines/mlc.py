"""The compiler of this repository. Options are those of `mlc compile`: `mlc:disable-pass=cse:jobs=1`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from bench.engines import Call
from mlc.compiler import Options, compile_program
from mlc.compiler.options import no_progress
from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.compile_options import compile_options


def version() -> str:
    """Returns the package's version."""
    return metadata.version("mlc-compiler")


def load(path: Path, threads: int, options: Sequence[str] = ()) -> Call:
    """Compiles the model. Raises click.UsageError for options that `mlc compile` lacks."""
    return compile_program(path, compiler_options(options)).executable(threads)


def compiler_options(options: Sequence[str]) -> Options:
    """Converts options of `mlc compile`, without the dashes, to the compiler's."""
    flags: CompileFlags = _flags.main([f"--{option}" for option in options], "mlc", standalone_mode=False)
    return flags.options(no_progress)


@click.command()
@compile_options
def _flags(flags: CompileFlags) -> CompileFlags:
    return flags


def facts(call: Any) -> dict[str, Any]:
    """Returns the compiler's report."""
    return dict(call.manifest["report"])
