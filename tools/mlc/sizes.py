"""--dim and --shape: sizes of a model's inputs, for a compilation and for a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.failures import ToolError
from mlc.tools.mlc.session import Session

if TYPE_CHECKING:
    from mlc.runtime import Executable, TensorSpec


def parse_sizes(
    dims: Sequence[str], shapes: Sequence[str]
) -> tuple[dict[str, int | tuple[int, int | None]], dict[str, list[int]]]:
    """--dim (a size, or least and most) and --shape (its sizes follow ':' or '=') by name. Raises
    click.UsageError."""
    from mlc.tools.command_line import UsageError
    from mlc.tools.translate.import_onnx import parse_shapes

    texts = []
    for text in shapes:
        name, colon, sizes = text.rpartition(":")
        texts.append(f"{name}={sizes}" if colon and "=" not in sizes else text)
    try:
        return dict(map(_dim, dims)), parse_shapes(texts)
    except UsageError as error:
        raise click.UsageError(str(error)) from error


def _dim(text: str) -> tuple[str, int | tuple[int, int | None]]:
    """NAME=N, NAME=A..B, NAME=..B or NAME=A.. as name and size."""
    name, _, size = text.rpartition("=")
    least, dots, most = size.partition("..")
    numbers = [each for each in (least, most) if each]
    if not name or not numbers or not all(each.isdecimal() for each in numbers):
        raise click.UsageError(
            f"--dim={text}: expected NAME=N or NAME=LEAST..MOST, e.g. --dim batch=1 or --dim seq=1..512"
        )
    if not dots:
        return name, int(size)
    if least and most and int(most) < int(least):
        raise click.UsageError(f"--dim={text}: there is no size from {least} to {most}")
    return name, (int(least or 0), int(most) if most else None)


def specs_of_call(
    executable: Executable, given: Mapping[str, Any], flags: CompileFlags, session: Session
) -> list[TensorSpec]:
    """The inputs with the sizes of one call: those of --dim and --shape, then of the arrays in `given`, by
    input; else 1, or what is nearest to it in the dim's range, which a warning says. Raises ToolError for a
    dim that the program does not have."""
    if not executable.dims:
        return list(executable.inputs)
    values = _values(executable, given, flags)
    missing = {}
    for dim in executable.dims:
        if dim.name not in values:
            most = 1 if dim.most is None else dim.most
            missing[dim.name] = min(max(dim.least, 1), max(dim.least, most))
    if missing:
        listed = ", ".join(f"{name}={size}" for name, size in missing.items())
        session.warn(f"inputs are made for {listed}; --dim NAME=N gives other sizes")
    values |= missing
    return [
        replace(spec, shape=tuple(values[size] if isinstance(size, str) else size for size in spec.shape))
        for spec in executable.inputs
    ]


def _values(executable: Executable, given: Mapping[str, Any], flags: CompileFlags) -> dict[str, int]:
    """Sizes of named dims as far as they are given."""
    dims, shapes = parse_sizes(flags.dims, flags.shapes)
    names = [dim.name for dim in executable.dims]
    values = {name: size for name, size in dims.items() if isinstance(size, int)}
    if strangers := [name for name in values if name not in names]:
        raise ToolError(f"--dim {strangers[0]}: the model's dims are {', '.join(names)}")
    sized = [shapes, {name: array.shape for name, array in given.items()}]
    for shape_of in sized:
        for spec in executable.inputs:
            sizes = shape_of.get(spec.name, ())
            if len(sizes) == len(spec.shape):
                pairs = zip(spec.shape, sizes, strict=True)
                values = {str(name): size for name, size in pairs if name in names and size >= 0} | values
    return values
