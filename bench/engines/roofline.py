"""The machine's own limits, as an engine without a model: they take turns with kernels and drift with them.

Options: `roofline:fma`, or `roofline:KIND=BYTES` with the size of each of the arrays that move:
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

# Kind: its number in peak.c, and how many arrays move.
KINDS = {"fma": (0, 0), "read": (1, 1), "copy": (2, 2), "triad": (3, 3), "memcpy": (4, 2)}
# Some 10 ms per call.
BLOCKS = 16
# What the vectors in peak.c are aligned to.
ALIGNMENT = 64


class Roofline:
    """Does its work at every call; `facts` says how much that is: {"flop"} or {"bytes"}."""

    def __init__(self, library: ctypes.CDLL, kind: str, threads: int, size: int) -> None:
        number, arrays = KINDS[kind]
        amount = BLOCKS if kind == "fma" else size - size % (threads * ALIGNMENT)
        library.roofline_block_flop.restype = ctypes.c_double
        flop = library.roofline_block_flop() * BLOCKS * threads
        self.facts = {"flop": flop} if kind == "fma" else {"bytes": float(amount * arrays)}
        self.arrays = [_aligned(size) for _ in range(arrays)]
        addresses = [array.ctypes.data for array in self.arrays] + [0] * (3 - arrays)
        self._call = library.roofline_work
        self._arguments = (
            ctypes.c_int(number),
            ctypes.c_int(threads),
            ctypes.c_size_t(amount),
            *map(ctypes.c_void_p, addresses),
        )

    def __call__(self, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        self._call(*self._arguments)
        return []


def _aligned(size: int) -> np.ndarray:
    """Memory that the process has written: pages that nobody wrote are all the same page."""
    memory = np.ones(size + ALIGNMENT, np.uint8)
    return memory[-memory.ctypes.data % ALIGNMENT :][:size]


def version() -> str:
    """Of peak.c there is one."""
    return "1"


def load(path: Path, threads: int, options: Sequence[str] = ()) -> Any:
    """The limit named by the one option. Raises ValueError for another."""
    del path
    kind, _, size = ",".join(options).partition("=")
    if kind not in KINDS or (kind == "fma") == size.isdigit():
        raise ValueError(
            f"engine 'roofline' takes fma, or KIND=BYTES of {', '.join(KINDS)}; not '{kind}={size}'"
        )
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        library = ctypes.CDLL(str(peak.build_library(Path(folder))))
    return Roofline(library, kind, threads, int(size or 0))


def facts(call: Any) -> dict[str, Any]:
    """What one call does."""
    return dict(call.facts)
