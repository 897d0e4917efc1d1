# /// script
# dependencies = ["torch==2.13.0", "transformers==5.23.0", "onnx==1.23.2", "numpy>=2,<3"]
# ///
"""PyTorch: eager, or compiled: `torch:compile`, `torch:compile=max-autotune`.

The transformers are the modules that the ONNX files were exported from, with PyTorch's own attention; other
models are read from their ONNX files.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bench.engines import Call
from bench.importers.in_torch import import_model
from bench.models import exported

ATTENTION = "sdpa"


def version() -> str:
    """The package's version."""
    return str(torch.__version__)


def load(path: Path, threads: int, options: Sequence[str] = ()) -> Call:
    """The module, eager or compiled. Raises ValueError for an unknown option."""
    torch.set_num_threads(threads)
    module = (
        exported.module(path.stem, ATTENTION).eval() if path.stem in exported.MODELS else import_model(path)
    ).requires_grad_(False)
    function = _with_options(module, threads, options)

    def call(inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        with torch.inference_mode():
            results = function(*(torch.from_numpy(array) for array in inputs.values()))
        found = results if isinstance(results, list | tuple) else (results,)
        return [result.numpy() for result in found]

    return call


def _with_options(module: torch.nn.Module, threads: int, options: Sequence[str]) -> Any:
    function: Any = module
    for option in options:
        name, _, mode = option.partition("=")
        if name != "compile":
            raise ValueError(f"engine 'torch' has no option '{option}'; it has compile and compile=MODE")
        torch._inductor.config.freezing = True
        torch._inductor.config.cpp.threads = threads
        function = torch.compile(module, mode=mode or None)
    return function
