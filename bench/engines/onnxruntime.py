"""ONNX Runtime's CPU provider with all graph optimisations."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import onnxruntime as ort

from bench.engines import Call


def version() -> str:
    """The package's version."""
    return str(ort.__version__)


def load(path: Path, threads: int) -> Call:
    """A session that runs one operator at a time on `threads` threads."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return partial(session.run, None)
