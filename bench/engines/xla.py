# /// script
# dependencies = ["jax==0.10.2", "jaxlib==0.10.2", "onnx==1.23.2", "numpy>=2,<3"]
# ///
"""XLA's CPU compiler, through JAX. Weights are arguments of the compiled function, as is usual with JAX."""

from __future__ import annotations

from pathlib import Path

import jax
import numpy as np

from bench.engines import Call
from bench.importers import onnx_graph
from bench.importers.in_jax import OPERATORS
from bench.operator_graph import check, evaluate

# Smaller constants are part of the program: shapes, indices, factors.
SMALL = 16


def version() -> str:
    """The package's version."""
    return str(jax.__version__)


def load(path: Path, threads: int) -> Call:
    """The jitted model. XLA makes as many threads as the process has CPUs, which are `threads`."""
    del threads
    # ONNX counts in int64.
    jax.config.update("jax_enable_x64", True)
    graph = onnx_graph.read(path)
    check(graph, OPERATORS)
    large = {
        name: value
        for name, value in graph.constants.items()
        if value.dtype == np.float32 and value.size > SMALL
    }
    small = {name: value for name, value in graph.constants.items() if name not in large}
    weights = jax.device_put(large)

    def run(weights: dict[str, jax.Array], inputs: dict[str, jax.Array]) -> list[jax.Array]:
        return evaluate(graph, {**small, **weights, **inputs}, OPERATORS)

    function = jax.jit(run)
    return lambda inputs: [np.asarray(output) for output in function(weights, inputs)]
