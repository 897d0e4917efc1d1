"""Compiles the simulator once, by the system's C compiler, and loads it for compiled models and Python."""

from __future__ import annotations

import ctypes
import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path

from mlc.codegen.cache import default_root
from mlc.runtime import ExecutableError
from mlc.runtime.shared_library.c_compiler import run_c_compiler
from mlc.targets import TargetError

_FOLDER = Path(__file__).parent
_FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread")
UNITS = ("dma", "matrix", "vector")


@cache
def library() -> Path:
    """Returns the shared library, named by a hash of its sources. Raises TargetError without a C compiler."""
    sources = b"".join((_FOLDER / name).read_bytes() for name in ("simulator.h", "simulator.c"))
    path = default_root() / "tiny-npu" / f"{hashlib.blake2b(sources, digest_size=8).hexdigest()}.so"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            built = Path(folder) / path.name
            _compile(_FOLDER / "simulator.c", built)
            os.replace(built, path)
    return path


def _compile(source: Path, built: Path) -> None:
    arguments, what = [*_FLAGS, str(source), "-o", str(built)], "tiny-npu: its simulator needs a C compiler:"
    try:
        run_c_compiler(arguments, what, os.environ.get("CC", "cc"))
    except ExecutableError as error:
        raise TargetError(str(error)) from error


@cache
def simulator() -> ctypes.CDLL:
    """Returns the loaded library, which compiled models share: the same machine, the same counters."""
    loaded = ctypes.CDLL(str(library()))
    loaded.npu_cycles.restype = ctypes.c_int64
    return loaded


def cycles() -> dict[str, int]:
    """Returns the cycles of each unit since the last `reset`."""
    return {name: simulator().npu_cycles(unit) for unit, name in enumerate(UNITS)}


def reset() -> None:
    """Sets the counters to 0."""
    simulator().npu_reset()
