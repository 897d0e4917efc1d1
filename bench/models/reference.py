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
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    source = str(model) if isinstance(model, Path) else model.SerializeToString()
    session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    return session.run(outputs, dict(inputs))
