"""Makes `bench`, which is not installed, importable from the checkout; short runs of the harness."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench import run
from bench.measure import RoundBudget
from bench.models.__main__ import build
from bench.models.catalogue import MODELS


@pytest.fixture(scope="module")
def run_settings(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., run.RunSettings]:
    """Builds a model, and says how to measure it: two rounds of as many calls, no environments."""

    def make(model: str, seeds: int, calls: int) -> run.RunSettings:
        directory = tmp_path_factory.mktemp("models")
        build(MODELS[model], directory)
        return run.RunSettings(
            rounds=2,
            seeds=seeds,
            budget=RoundBudget(warm_up=0.0, seconds=0.0, calls=calls, limit=1.0),
            cpus=sorted(os.sched_getaffinity(0)),
            timeout=60.0,
            pythons={},
            environments=directory / "environments",
            logs=tmp_path_factory.mktemp("logs"),
            directory=directory,
        )

    return make
