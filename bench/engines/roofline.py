"""The machine's limits as an engine without a model: measured interleaved with kernels, they drift with them.

Options: `roofline:fma`, or `roofline:LIMIT=BYTES` with the size of each of the arrays that move:
`read` (one is read), `copy` and `memcpy` (one is read, one written), `triad` (two are read, one written).
"""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench import peak

# Limit -> its enumerator in peak.c, and the count of arrays that move.
LIMITS = {"fma": (0, 0), "read": (1, 1), "copy": (2, 2), "triad": (3, 3), "memcpy": (4, 2)}
# Some 10 ms per call.
BLOCKS = 16
# The alignment of vectors in peak.c.
ALIGNMENT = 64


class Roofline:
    """Work at one limit; `facts` has the amount per call: {"flop"} or {"bytes"}."""

    def __init__(self, library: ctypes.CDLL, limit: str, threads: int, size: int) -> None:
        enumerator, arrays = LIMITS[limit]
        amount = BLOCKS if limit == "fma" else size - size % (threads * ALIGNMENT)
        library.roofline_block_flop.restype = ctypes.c_double
        flop = library.roofline_block_flop() * BLOCKS * threads
        self.facts = {"flop": flop} if limit == "fma" else {"bytes": float(amount * arrays)}
        self.arrays = [_allocate(size) for _ in range(arrays)]
        addresses = [array.ctypes.data for array in self.arrays] + [0] * (3 - arrays)
        self._call = library.roofline_work
        self._arguments = (
            ctypes.c_int(enumerator),
            ctypes.c_int(threads),
            ctypes.c_size_t(amount),
            *map(ctypes.c_void_p, addresses),
        )

    def __call__(self, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        self._call(*self._arguments)
        return []


def _allocate(size: int) -> np.ndarray:
    """Allocates aligned memory and writes to it, as pages that were never written share one physical page."""
    memory = np.ones(size + ALIGNMENT, np.uint8)
    return memory[-memory.ctypes.data % ALIGNMENT :][:size]


def version() -> str:
    """Returns a constant, as there is one version of peak.c."""
    return "1"


def load(path: Path, threads: int, options: Sequence[str] = ()) -> Any:
    """Returns the limit named by the one option. Raises ValueError for others."""
    del path
    limit, _, size = ",".join(options).partition("=")
    if limit not in LIMITS or (limit == "fma") == size.isdigit():
        raise ValueError(
            f"engine 'roofline' takes fma, or LIMIT=BYTES of {', '.join(LIMITS)}; not '{limit}={size}'"
        )
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        library = ctypes.CDLL(str(peak.build_library(Path(folder))))
    return Roofline(library, limit, threads, int(size or 0))


def facts(call: Any) -> dict[str, Any]:
    """Returns the work of one call."""
    return dict(call.facts)
