"""ONNX Runtime, to compare with. Arrays of types that NumPy lacks are not passed to it: an error."""

import os
from collections.abc import Callable
from typing import Any

# The suite holds operators of opsets that are not released.
os.environ.setdefault("ALLOW_RELEASED_ONNX_OPSET_ONLY", "0")

import onnxruntime
from onnx import ModelProto

NAME = "onnxruntime"
VERSION = onnxruntime.__version__


def prepare(model: ModelProto) -> Callable[[list[Any]], Any]:
    """A session with one thread."""
    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [entry.name for entry in session.get_inputs()]
    return lambda inputs: session.run(None, dict(zip(names, inputs, strict=True)))
