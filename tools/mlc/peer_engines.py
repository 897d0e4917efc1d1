"""Other engines for the same model, to compare results and latencies with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mlc.tools.mlc.error_messages import ToolError

# ONNX Runtime's names of types that NumPy lacks.
_EXTENDED = ("bfloat16", "float8", "float4", "int4", "int2")

Call = Callable[[Mapping[str, np.ndarray]], list[np.ndarray]]


def load_peer(name: str, path: Path, threads: int | None = None) -> Call:
    """Loads the model in engine `name` ("onnxruntime", "openvino", "reference").

    The result takes inputs by name and returns outputs in the model's order, each name once.
    Raises ToolError if the engine is not installed or refuses the model.
    """
    try:
        return _LOADERS[name](path, threads)
    except ImportError as error:
        hint = f"{name} is not installed ({error}); pip install {name}"
        raise ToolError(hint) from error
    except OSError:
        raise
    except Exception as error:  # each engine has its own exceptions
        raise ToolError(f"{name} cannot load {path}: {_first_line(error)}") from error


def call_peer(name: str, call: Call, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Calls an engine; its exceptions become ToolErrors."""
    try:
        # Sequences are lists, optionals without an element None.
        values = call(inputs)
        return [v if v is None or isinstance(v, list) else np.asarray(v) for v in values]
    except Exception as error:
        raise ToolError(f"{name} cannot run the model: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _onnxruntime(path: Path, threads: int | None) -> Call:
    import onnxruntime

    path.stat()
    options = onnxruntime.SessionOptions()
    # Errors are raised: the lines of the log would repeat them.
    options.log_severity_level = 4
    options.inter_op_num_threads = 1
    if threads is not None:
        options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    types = [value.type for value in (*session.get_inputs(), *session.get_outputs())]
    if any(name in text for text in types for name in _EXTENDED):
        return partial(_run_ort_values, session)
    run: Callable[..., Any] = partial(session.run, _output_names(session))
    return lambda inputs: run(dict(inputs))


def _output_names(session: Any) -> list[str]:
    return list(dict.fromkeys(output.name for output in session.get_outputs()))


def _run_ort_values(session: Any, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Runs a model with inputs or outputs of types that NumPy lacks."""
    from mlc.tools.ort_values import from_ort_value, to_ort_value

    names = _output_names(session)
    values = {name: to_ort_value(np.asarray(array)) for name, array in inputs.items()}
    return [from_ort_value(value) for value in session.run_with_ort_values(names, values)]


def _openvino(path: Path, threads: int | None) -> Call:
    import openvino

    properties: dict[str, Any] = {
        "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": "1",
        "INFERENCE_PRECISION_HINT": "f32",
        "ENABLE_CPU_PINNING": "NO",
    }
    if threads is not None:
        properties["INFERENCE_NUM_THREADS"] = str(threads)
    core = openvino.Core()
    model = core.compile_model(core.read_model(path), "CPU", properties)
    request = model.create_infer_request()
    outputs = list({output.any_name: output for output in model.outputs}.values())

    def call(inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """Runs one inference."""
        request.infer(dict(inputs), share_inputs=True, share_outputs=True)
        return [request.get_tensor(output).data.copy() for output in outputs]

    return call


def _reference(path: Path, threads: int | None) -> Call:
    del threads
    import onnx
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(onnx.load(path))
    run: Callable[..., Any] = partial(evaluator.run, list(dict.fromkeys(evaluator.output_names)))
    return lambda inputs: run(dict(inputs))


_LOADERS: dict[str, Callable[[Path, int | None], Call]] = {
    "onnxruntime": _onnxruntime,
    "openvino": _openvino,
    "reference": _reference,
}
