"""Imports an ONNX model to a module of the graph dialect, with references to its weights: `--import-onnx`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import ImportBudget, ImportedModel, import_model
from mlc.frontends.option_names import named_as_flags
from mlc.frontends.weights.module_references import relocate, weight_references
from mlc.frontends.weights.store import INLINE
from mlc.tools.child_activity import Activity
from mlc.tools.command_line import CommandLine, UsageError
from mlc.tools.sources import read_input, write_output
from mlc.tools.translate.errors import TranslationError

T = TypeVar("T")


def import_onnx(line: CommandLine, path: str, activity: Activity) -> None:
    """Writes the module. With -o the references are relative to that file's folder.

    Weights that are in no file below it go to a safetensors file beside it.
    """
    dims, shapes = parse_dims(line.values.get("dim", [])), parse_shapes(line.values.get("shape", []))
    limits = parse_budget(line.values.get("import-budget", []))
    output = line.value("o", "-")
    # A file is left to the importer, which finds weights beside it.
    name, model = read_input(path) if path == "-" else (path, path)
    activity.begin(f"{name}: error: --import-onnx")
    try:
        with named_as_flags():
            budget = ImportBudget.with_limits(limits)
            imported = import_model(model, dims=dims, shapes=shapes, name="<stdin>", budget=budget)
        if output != "-":
            relocate(imported.module, imported.weights, Path(output))
    except ModelError as error:
        raise TranslationError(str(error)) from error
    if output == "-":
        _warn_of_lost_weights(imported)
    asm = imported.module.operation.get_asm(enable_debug_info=line.switch("mlir-print-debuginfo"))
    write_output(output, asm if asm.endswith("\n") else f"{asm}\n")


def _warn_of_lost_weights(imported: ImportedModel) -> None:
    lost = sum(reference.source == INLINE for reference in weight_references(imported.module))
    if lost:
        print(
            f"mlc-translate: warning: {lost} weights are in no file and are not written; "
            "with -o they go to a file beside it",
            file=sys.stderr,
        )


def parse_dims(texts: list[str]) -> dict[str, int]:
    """Parses texts of the form `name=size`. Raises `UsageError`."""
    return each_once("dim", texts, _dim)


def _dim(text: str) -> tuple[str, int]:
    name, equals, size = text.rpartition("=")
    if not equals or not name or not size.isdigit():
        raise UsageError(f"--dim={text}: expected name=size, e.g. --dim batch=1")
    return name, int(size)


def parse_shapes(texts: list[str]) -> dict[str, list[int]]:
    """Parses texts of the form `input:AxBxC` (or with `=`); -1 or ? keeps a dim. Raises `UsageError`."""
    return each_once("shape", texts, _shape)


def _shape(text: str) -> tuple[str, list[int]]:
    separator = max(text.rfind(":"), text.rfind("="))
    name, dims = text[: max(separator, 0)], text[separator + 1 :]
    sizes = [-1 if dim in ("?", "-1") else dim for dim in dims.replace(",", "x").split("x") if dim]
    if not name or not all(dim == -1 or str(dim).isdigit() for dim in sizes):
        raise UsageError(f"--shape={text}: expected input:dims, e.g. --shape x:1x3x224x224")
    return name, [int(dim) for dim in sizes]


def parse_budget(texts: Sequence[str]) -> dict[str, float]:
    """Parses texts of the form `limit=N`. Raises `UsageError`."""
    return each_once("import-budget", texts, _limit)


def _limit(text: str) -> tuple[str, float]:
    name, _, limit = text.partition("=")
    if not name or not limit.isdecimal():
        raise UsageError(f"--import-budget={text}: expected limit=N, e.g. --import-budget nodes=1000000")
    return name, int(limit)


def each_once(option: str, texts: Sequence[str], parse: Callable[[str], tuple[str, T]]) -> dict[str, T]:
    """Parses the texts of an option with `parse` and returns their values by name. Raises `UsageError` for
    a name that two of them have."""
    result: dict[str, T] = {}
    text_of: dict[str, str] = {}
    for text in texts:
        name, value = parse(text)
        if name in result:
            raise UsageError(f"--{option}={text_of[name]} and --{option}={text}: give '{name}' once")
        result[name], text_of[name] = value, text
    return result
