"""Calls a compiled model as a C program would, past the Python call path.

The entry is `void entry(void **buffers, int64_t *dims)` with the buffers of inputs, outputs, weights and
arena (docs/architecture.md, "The three contracts").
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mlc.runtime.executable import Executable

SOURCE = Path(__file__).with_name("call_loop.c")


def c_entry(
    executable: Executable, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]
) -> Callable[[int], None]:
    """A function that calls the entry of `executable` a number of times from a C loop, on one thread.

    `inputs` and `outputs` must have the executable's shapes and types; all calls use them.
    """
    from mlc.runtime._native import Image, aligned_empty

    image = Image(executable.objects)
    arena = np.frombuffer(aligned_empty(executable.manifest["arena_bytes"], 4096), np.uint8)
    arrays = [*inputs, *outputs, *executable.weights.values(), arena]
    pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
    dims = (ctypes.c_int64 * 1)()
    entry = ctypes.c_void_p(image.symbol(executable.manifest["entry"]))
    loop = _call_loop()

    def batch(calls: int) -> None:
        loop(entry, pointers, dims, ctypes.c_int64(calls))

    # The pointers are good as long as what they point into lives.
    batch.owners = (image, arrays)  # type: ignore[attr-defined]
    return batch


def _call_loop() -> Any:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        library = Path(folder) / "call_loop.so"
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", str(SOURCE), "-o", str(library)], check=True)
        return ctypes.CDLL(str(library)).call_loop
