"""Makes the helpers of this folder, the importer's cases, the evaluator of graphs, the GPU emulator and
`bench` importable."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PATHS = (
    HERE,
    *(path for path in sorted(HERE.iterdir()) if path.is_dir()),
    HERE.parent / "frontends" / "onnx",
    HERE.parent / "passes",
    HERE.parent / "passes" / "evaluator",
    HERE.parent / "gpu",
    HERE.parent / "gpu" / "emulation",
    HERE.parent / "gpu" / "machine_code",
    HERE.parents[1],
)
sys.path[:0] = [str(path) for path in PATHS]


@pytest.fixture(scope="module")
def compiled() -> Iterator[Any]:
    """Makes executables of modules' texts."""
    from hand_written import compiler

    with compiler() as program:
        yield program
