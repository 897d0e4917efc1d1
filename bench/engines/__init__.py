"""Engines to compare, each in a file with its name.

An engine module offers

    version() -> str
    load(path: pathlib.Path, threads: int) -> callable

where the callable takes a dict of C-contiguous arrays and returns its outputs in the order of the ONNX graph:
an array, a sequence of arrays, or a dict of them. The arrays belong to the caller. `load` may take a third
argument `options`, the texts after the engine's name in `mlc:disable-pass=cse`. A module may also offer
`facts(callable) -> dict`, further facts about a loaded model. A module is imported in a separate process,
pinned to `threads` CPUs, in an interpreter that needs only NumPy and the packages of the engine. If these
conflict with other engines' packages, the file lists them as inline script metadata (PEP 723), and
`bench.environments` makes a separate interpreter for it.

The environment variable BENCH_ENGINES names further folders with engines.
"""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

__path__.extend(filter(None, os.environ.get("BENCH_ENGINES", "").split(os.pathsep)))

Call = Callable[[dict[str, np.ndarray]], Any]


class Engine(Protocol):
    """The interface of an engine module."""

    def version(self) -> str:
        """Returns the engine's version."""

    def load(self, path: Path, threads: int, *options: Any) -> Call:
        """Loads a model."""


@dataclass(frozen=True)
class EngineVariant:
    """An engine with options: `NAME[:OPTION]...`."""

    name: str
    options: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> EngineVariant:
        """Splits the text at its colons."""
        name, *options = text.split(":")
        return cls(name, tuple(options))


def names() -> list[str]:
    """Returns the names of all engines, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def source(name: str) -> Path:
    """Returns the engine's file, which must exist."""
    return next(path for folder in __path__ if (path := Path(folder, f"{name}.py")).is_file())


def find(name: str) -> Engine:
    """Imports an engine. Raises ModuleNotFoundError if the package that it wraps is not installed."""
    return cast(Engine, importlib.import_module(f"{__name__}.{name}"))


def load(engine: Engine, variant: EngineVariant, path: Path, threads: int) -> Call:
    """Loads a model in the engine. Raises ValueError for options of an engine that has none."""
    if not variant.options:
        return engine.load(path, threads)
    if "options" not in inspect.signature(engine.load).parameters:
        raise ValueError(f"engine '{variant.name}' has no options")
    return engine.load(path, threads, variant.options)


def as_list(result: Any) -> list[np.ndarray]:
    """Converts the result of an engine to a list of arrays; a sequence of maps becomes the array of their
    values."""
    if isinstance(result, Mapping):
        return [_as_array(array) for array in result.values()]
    return [_as_array(array) for array in (result if isinstance(result, list | tuple) else [result])]


def _as_array(value: Any) -> np.ndarray:
    if isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
        return np.asarray([list(entry.values()) for entry in value])
    return np.asarray(value)
