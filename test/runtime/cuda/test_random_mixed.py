"""Random models of which the processor computes parts, on the stub, against ONNX Runtime.

The stub's device memory is not the host's: reads of the wrong one give wrong results.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from compiled import compile_for
from random_models import SHAPE, RandomModel

from mlc.codegen.pool import WorkerPool
from mlc.compiler import Options, worker_pool

# Sums of many products, of which some parts come back to others.
TOLERANCE = 1e-4
# More of them: MLC_RANDOM_MODELS=0:400.
FIRST, END = map(int, os.environ.get("MLC_RANDOM_MODELS", "0:12").split(":"))


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with worker_pool(1) as workers:
        yield workers


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FIRST, END))
def test_random_models(seed: int, stub: Any, pool: WorkerPool) -> None:
    ort = pytest.importorskip("onnxruntime")
    model = RandomModel(seed).model()
    executable = compile_for(stub, model, Options("cuda:sm_80", unsupported="cpu", pool=pool)).executable(2)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for call in range(2):
        generator = np.random.default_rng(call)
        inputs = {name: generator.normal(size=SHAPE).astype(np.float32) for name in "xu"}
        for found, wanted in zip(executable(inputs), session.run(None, inputs), strict=True):
            assert np.abs(found - wanted).max() <= TOLERANCE * np.abs(wanted).max()
