"""ONNX Runtime as the oracle: one call, no state kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime


def run(
    model: onnx.ModelProto | Path, inputs: Mapping[str, np.ndarray], outputs: Sequence[str] | None = None
) -> list[np.ndarray]:
    """The model's outputs, or those tensors that `outputs` names, in order."""
    return session(model).run(outputs, dict(inputs))


def session(model: onnx.ModelProto | Path, threads: int = 0) -> onnxruntime.InferenceSession:
    """Loads a model for calls with as many threads, 0 for one per core."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    # Without it, products of unsigned and signed bytes overflow 16 bits on processors without VNNI.
    options.add_session_config_entry("session.x64quantprecision", "1")
    source = str(model) if isinstance(model, Path) else model.SerializeToString()
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
