"""Calls a compiled model as a C program would, past the Python call path.

The entry is `void entry(void **buffers, int64_t *dims)` with the buffers of inputs, outputs, weights and
arena (docs/architecture.md, "The three contracts").
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mlc.runtime.executable import Executable

SOURCE = Path(__file__).with_name("call_loop.c")


class CEntry:
    """Calls the entry of an executable from a C loop, always with the same buffers, on one thread.

    `inputs` and `outputs` must have the executable's shapes and types. `arena` is its scratch memory.
    """

    def __init__(
        self, executable: Executable, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]
    ) -> None:
        from mlc.runtime._native import Image, aligned_empty

        self.arena = np.frombuffer(aligned_empty(executable.manifest["arena_bytes"], 4096), np.uint8)
        # The code and the arrays must live as long as their addresses are in use.
        self._image = Image(executable.objects)
        self._arrays = [*inputs, *outputs, *executable.weights.values(), self.arena]
        self._buffers = (ctypes.c_void_p * len(self._arrays))(*(array.ctypes.data for array in self._arrays))
        self._dims = (ctypes.c_int64 * 1)()
        self._entry = ctypes.c_void_p(self._image.symbol(executable.manifest["entry"]))
        self._loop = _call_loop()

    def __call__(self, calls: int) -> None:
        """Call the entry `calls` times."""
        self._loop(self._entry, self._buffers, self._dims, ctypes.c_int64(calls))


def _call_loop() -> Any:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        library = Path(folder) / "call_loop.so"
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", str(SOURCE), "-o", str(library)], check=True)
        return ctypes.CDLL(str(library)).call_loop
