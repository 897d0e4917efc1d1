"""Compiles models, asks the oracles, compares.

The tolerance for floats is |a - b| <= tolerance * max(1, max |b|), where b is the oracle's answer;
infinities, NaNs, integers and booleans must be equal. f32's tolerance is 1e-5 unless a case names another.
"""

from __future__ import annotations

import os
import warnings
from functools import cache
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

from mlc.codegen.pool import WorkerPool
from mlc.compiler import Options, compile_program, worker_pool
from mlc.runtime import Executable

TOLERANCE = 1e-5
# One rounding of each format, and a few of those that come before.
COARSER = {"float16": 2e-3, "bfloat16": 2e-2}

Arrays = dict[str, np.ndarray]


@cache
def _pool() -> WorkerPool:
    """One worker per core, over all processes of pytest-xdist."""
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return worker_pool(max(1, len(os.sched_getaffinity(0)) // processes))


def compile_model(model: onnx.ModelProto, threads: int = 2, **options: Any) -> Executable:
    """The model, compiled by worker processes that all tests share; `options` are the compiler's."""
    return compile_program(model, Options(pool=_pool(), **options)).executable(threads)


def reference(model: onnx.ModelProto, inputs: Arrays) -> Arrays:
    """Returns the outputs of onnx's reference evaluator."""
    names = [output.name for output in model.graph.output]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        results = ReferenceEvaluator(model).run(None, inputs)
    return {name: np.asarray(result) for name, result in zip(names, results, strict=True)}


def runtime(model: onnx.ModelProto, inputs: Arrays) -> Arrays | None:
    """Returns the outputs of ONNX Runtime; None for operators or types that it lacks."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    # Each operator as it stands: ONNX Runtime takes zeros before a MaxPool for the padding of the pool,
    # which loses against every element (the rewriting of its pull request 18136).
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    names = [output.name for output in model.graph.output]
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        found = dict(zip(names, session.run(None, inputs), strict=True))
        return {o.name: _of_declared_type(found[o.name], o) for o in model.graph.output}
    except Exception as error:
        # RuntimeError: the result has a type that its Python binding cannot return, bf16 for one.
        if isinstance(error, RuntimeError) or type(error).__module__.startswith("onnxruntime"):
            return None
        raise


def _of_declared_type(value: np.ndarray, output: onnx.ValueInfoProto) -> np.ndarray:
    """ONNX Runtime gives floats of 8 bits as bytes."""
    onnx_type = output.type.tensor_type.elem_type
    is_float8 = onnx.TensorProto.DataType.Name(onnx_type).startswith("FLOAT8")
    return value.view(onnx.helper.tensor_dtype_to_np_dtype(onnx_type)) if is_float8 else value


def expected_of(model: onnx.ModelProto, inputs: Arrays) -> Arrays:
    """Returns the outputs of ONNX Runtime, or of the reference evaluator where that cannot run the model."""
    return runtime(model, inputs) or reference(model, inputs)


def wrong_outputs(
    model: onnx.ModelProto, inputs: Arrays, threads: int = 2, tolerance: float = TOLERANCE, **options: Any
) -> dict[str, str]:
    """Returns the differences from ONNX Runtime, which must be able to run the model, by output."""
    expected = runtime(model, inputs)
    assert expected is not None
    return differences(compile_model(model, threads, **options).run(inputs), expected, tolerance)


def difference(actual: np.ndarray, expected: np.ndarray, tolerance: float = TOLERANCE) -> str | None:
    """Returns a description of the difference, or None."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return f"is {actual.dtype}{actual.shape} instead of {expected.dtype}{expected.shape}"
    if expected.dtype.kind in "iubO":
        wrong = int((actual != expected).sum())
        return f"{wrong} of {expected.size} elements are wrong" if wrong else None
    tolerance = max(tolerance, COARSER.get(expected.dtype.name, 0.0))
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    a, b = actual.astype(wide), expected.astype(wide)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return f"infinities or NaNs are {a[~finite][:8]} instead of {b[~finite][:8]}"
    error = np.abs(a[finite] - b[finite]).max(initial=0.0)
    limit = tolerance * max(1.0, np.abs(b[finite]).max(initial=0.0))
    return None if error <= limit else f"largest error {error:.3g}, allowed {limit:.3g}"


def differences(actual: Arrays, expected: Arrays, tolerance: float = TOLERANCE) -> dict[str, str]:
    """Returns the differences, by output."""
    assert list(actual) == list(expected)
    found = {name: difference(actual[name], expected[name], tolerance) for name in expected}
    return {name: text for name, text in found.items() if text}
