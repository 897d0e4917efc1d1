"""Engines to compare: one file each, found by name.

An engine module offers

    version() -> str
    load(path: pathlib.Path, threads: int) -> callable

where the callable takes a dict of C-contiguous arrays and returns its outputs in the order of the ONNX graph:
an array, a sequence of arrays, or a dict of them. The arrays belong to the caller. A module may also offer
`facts(callable) -> dict`, what else there is to report of a loaded model. A module is imported in a
process of its own, pinned to `threads` CPUs, in an interpreter that need have nothing but NumPy and what the
engine wraps.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

Call = Callable[[dict[str, np.ndarray]], Any]


class Engine(Protocol):
    """What an engine module offers."""

    def version(self) -> str: ...

    def load(self, path: Path, threads: int) -> Call: ...


def names() -> list[str]:
    """The engines there are, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def find(name: str) -> Engine:
    """Import an engine. Raises ModuleNotFoundError where the package that it wraps is not installed."""
    return cast(Engine, importlib.import_module(f"{__name__}.{name}"))


def as_list(result: Any) -> list[np.ndarray]:
    """What an engine returned, as a list of arrays."""
    if isinstance(result, Mapping):
        return [np.asarray(array) for array in result.values()]
    return (
        [np.asarray(array) for array in result] if isinstance(result, list | tuple) else [np.asarray(result)]
    )
