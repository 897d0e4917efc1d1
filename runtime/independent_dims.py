"""Calls whose inputs give different sizes to dims of one name: another program has no such names."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.runtime.tensors import TensorSpec

if TYPE_CHECKING:
    from mlc.runtime.executable import Executable

_log = logging.getLogger("mlc.runtime")

# Makes the program in which the dims of these names are independent.
MakeIndependent = Callable[[Sequence[str]], "Executable"]


class IndependentDims:
    """The program that serves calls which the program with `inputs` refuses; it is made for the first."""

    def __init__(self, inputs: Sequence[TensorSpec], make: MakeIndependent) -> None:
        self._inputs, self._make = inputs, make
        self._lock = threading.Lock()
        self._names: tuple[str, ...] = ()
        self._program: Executable | None = None
        self.warnings: list[str] = []

    def program_for(self, arrays: Sequence[Any]) -> Executable | None:
        """Returns a program for these inputs; None if they are wrong in another way. Raises what compilation
        raises."""
        names = differing_names(self._inputs, arrays)
        if not names:
            return None
        with self._lock:
            if self._program is None or not names <= set(self._names):
                self._names = tuple(sorted(names | set(self._names)))
                self._warn(self._names)
                self._program = self._make(self._names)
            return self._program

    def _warn(self, names: tuple[str, ...]) -> None:
        listed = ", ".join(map(repr, names))
        text = (
            f"inputs give the dims named {listed} different sizes: such calls run another program, compiled"
            f" with independent_dims={list(names)}"
        )
        self.warnings.append(text)
        _log.warning("%s", text)


def differing_names(inputs: Sequence[TensorSpec], arrays: Sequence[Any]) -> set[str]:
    """Returns the names of dims that get several sizes from arrays of the right ranks; none if a rank is
    wrong."""
    sizes: dict[str, set[int]] = {}
    if len(inputs) != len(arrays):
        return set()
    for spec, array in zip(inputs, arrays, strict=True):
        shape = np.shape(array)
        if len(shape) != len(spec.shape):
            return set()
        for name, size in zip(spec.shape, shape, strict=True):
            if isinstance(name, str):
                sizes.setdefault(name, set()).add(size)
    return {name for name, found in sizes.items() if len(found) > 1}
