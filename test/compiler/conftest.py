"""A cache of the test's own, and workers that all tests share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mlc.codegen.pool import WorkerPool
from mlc.compiler import worker_pool

# The tests import their helpers by name.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def pool() -> Iterator[WorkerPool]:
    with worker_pool(1) as workers:
        yield workers


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("MLC_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def x() -> np.ndarray:
    return np.random.default_rng(0).uniform(-1, 1, (2, 32)).astype(np.float32)
