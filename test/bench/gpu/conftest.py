"""Artefacts of small cases, and the stub driver of the runtime's tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

_spec = importlib.util.spec_from_file_location("cuda_conftest", ROOT / "test/runtime/cuda/conftest.py")
assert _spec is not None and _spec.loader is not None
_cuda = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_cuda)
stub_library, stub = _cuda.stub_library, _cuda.stub

from small_cases import SMALL  # noqa: E402

from bench.gpu.build import MIB, build  # noqa: E402


@pytest.fixture(scope="session")
def artefacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small cases, built for sm_80 as PTX, which the stub reads."""
    root = tmp_path_factory.mktemp("artefacts") / "built"
    build(root, SMALL, "sm_80", 40 * MIB, cubin=False)
    return root
