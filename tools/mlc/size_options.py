"""Sizes of a model's inputs from `--dim` and `--shape`, for a compilation and for a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.error_messages import ToolError
from mlc.tools.mlc.session import CommandSession

if TYPE_CHECKING:
    from mlc.runtime import Executable, TensorSpec
    from mlc.runtime.named_dims import NamedDim


Size = int | tuple[int, int | None]


def parse_sizes(dims: Sequence[str], shapes: Sequence[str]) -> tuple[dict[str, Size], dict[str, list[int]]]:
    """Parses --dim (a size, or bounds) and --shape; returns both by name. Raises click.UsageError."""
    from mlc.tools.command_line import UsageError
    from mlc.tools.translate.import_onnx import each_once, parse_shapes

    try:
        return each_once("dim", dims, _dim), parse_shapes(list(shapes))
    except UsageError as error:
        raise click.UsageError(str(error)) from error


def _dim(text: str) -> tuple[str, Size]:
    """Parses NAME=N, NAME=A..B, NAME=..B or NAME=A.. to name and size."""
    name, _, size = text.rpartition("=")
    least, dots, most = size.partition("..")
    bounds = [bound for bound in (least, most) if bound]
    if not name or not bounds or not all(bound.isdecimal() for bound in bounds):
        raise click.UsageError(
            f"--dim={text}: expected NAME=N or NAME=LEAST..MOST, e.g. --dim batch=1 or --dim seq=1..512"
        )
    if not dots:
        return name, int(size)
    if least and most and int(most) < int(least):
        raise click.UsageError(f"--dim={text}: there is no size from {least} to {most}")
    return name, (int(least or 0), int(most) if most else None)


def check_names(executable: Executable, flags: CompileFlags) -> None:
    """Raises ToolError for a --dim that a compiled program does not have, and a --shape of no input."""
    dims, shapes = parse_sizes(flags.dims, flags.shapes)
    for option, what, given, own in (
        ("--dim", "dims", dims, executable.dims),
        ("--shape", "inputs", shapes, executable.inputs),
    ):
        names = [item.name for item in own]
        if strangers := [name for name in given if name not in names]:
            listed = ", ".join(names) or "all known"
            raise ToolError(f"{option} {strangers[0]}: the model's {what} are {listed}")


def specs_of_call(
    executable: Executable, given: Mapping[str, Any], flags: CompileFlags, session: CommandSession
) -> list[TensorSpec]:
    """Returns the inputs with the sizes of one call: those of --dim and --shape, then of the arrays in
    `given`, by input; else the size closest to 1 in the dim's range, with a warning. Raises ToolError for a
    range that is disjoint with the program's."""
    if not executable.dims:
        return list(executable.inputs)
    dims, shapes = parse_sizes(flags.dims, flags.shapes)
    values = _values(executable, given, dims, shapes)
    missing = {}
    for own in executable.dims:
        asked = dims.get(own.name)
        dim = _intersect(own, *asked, values.get(own.name)) if isinstance(asked, tuple) else own
        if dim.name not in values:
            missing[dim.name] = max(dim.least, 1 if dim.most is None else min(1, dim.most))
    if missing:
        listed = ", ".join(f"{name}={size}" for name, size in missing.items())
        session.warn(f"inputs are made for {listed}; --dim NAME=N gives other sizes")
    values |= missing
    return [
        replace(spec, shape=tuple(values[size] if isinstance(size, str) else size for size in spec.shape))
        for spec in executable.inputs
    ]


def _intersect(dim: NamedDim, least: int, most: int | None, size: int | None) -> NamedDim:
    """Returns the dim in the intersection of its range with that of --dim. Raises ToolError if it is empty,
    or if the range of --dim excludes the inputs' size."""
    from mlc.runtime.named_dims import NamedDim

    both = [bound for bound in (dim.most, most) if bound is not None]
    met = NamedDim(dim.name, max(dim.least, least), min(both, default=None))
    asked = NamedDim(dim.name, least, most)
    if met.most is not None and met.most < met.least:
        raise ToolError(f"--dim {asked}: the model takes {dim}")
    if size is not None and not (least <= size and (most is None or size <= most)):
        raise ToolError(f"--dim {asked}: the inputs have {size}")
    return met


def _values(
    executable: Executable,
    given: Mapping[str, Any],
    dims: Mapping[str, Size],
    shapes: Mapping[str, list[int]],
) -> dict[str, int]:
    """Returns the given sizes of named dims."""
    names = [dim.name for dim in executable.dims]
    values = {name: size for name, size in dims.items() if isinstance(size, int)}
    sized = [shapes, {name: array.shape for name, array in given.items()}]
    for shape_of in sized:
        for spec in executable.inputs:
            sizes = shape_of.get(spec.name, ())
            if len(sizes) == len(spec.shape):
                pairs = zip(spec.shape, sizes, strict=True)
                values = {str(name): size for name, size in pairs if name in names and size >= 0} | values
    return values
