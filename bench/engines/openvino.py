"""OpenVINO's CPU plug-in, tuned for latency, in single precision."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov

from bench.engines import Call


def version() -> str:
    """The package's version."""
    return str(ov.__version__)


def load(path: Path, threads: int) -> Call:
    """An inference request. Inputs are shared and outputs copied out, which is what ONNX Runtime does."""
    properties = {
        "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": "1",
        "INFERENCE_NUM_THREADS": str(threads),
        "INFERENCE_PRECISION_HINT": "f32",
        # The process is pinned already.
        "ENABLE_CPU_PINNING": "NO",
    }
    core = ov.Core()
    model = core.compile_model(core.read_model(path), "CPU", properties)
    request = model.create_infer_request()
    outputs = list(model.outputs)

    def call(inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        request.infer(inputs, share_inputs=True, share_outputs=True)
        return [request.get_tensor(output).data.copy() for output in outputs]

    return call
