"""The compiler of this repository, as a program for the sizes of the first call, which compiles it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench.engines import Call
from bench.engines.mlc import version
from mlc.compiler import Options, compile_program

__all__ = ["load", "version"]


def load(path: Path, threads: int) -> Call:
    """Returns a callable whose first call fixes the shapes of the inputs."""
    calls: list[Call] = []

    def call(inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        if not calls:
            shapes = {name: array.shape for name, array in inputs.items()}
            calls.append(compile_program(path, Options(shapes=shapes)).executable(threads))
        return calls[0](inputs)

    return call
