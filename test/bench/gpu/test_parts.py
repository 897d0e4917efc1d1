"""Parts of the runner: the budget, the table, references by NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator

from bench.gpu.models import attention, one_operator
from bench.gpu.runner.budget import KEPT, TimeBudget
from bench.gpu.runner.manifest import GpuCase, WeightSource, Work
from bench.gpu.runner.on_numpy import OPERATORS, NumpyLibrary
from bench.gpu.runner.table import best_peer, markdown, ratio
from bench.operator_graph import check, evaluate

GEMM = GpuCase("gemm", "gemm", "f32", work=Work(operations=2 * 10**9), tolerance=1e-5)
ADD = GpuCase("add", "memory", "f32", work=Work(nbytes=10**9))


def times(milliseconds: float) -> dict[str, float]:
    return {"ms": milliseconds, "low": milliseconds, "high": 2 * milliseconds, "rounds": 5, "calls": 3}


def test_shares_of_the_time() -> None:
    now = [0.0]
    budget = TimeBudget(100 + KEPT, lambda: now[0])
    assert budget.share(1, 10) == pytest.approx(30)
    assert budget.share(9, 10) == pytest.approx(50)
    assert budget.share(1, 1) == pytest.approx(100)
    assert budget.share(1, 10, until=0.4) == pytest.approx(12)
    now[0] = 40.0
    assert budget.share(1, 10, until=0.4) == 0
    assert budget.share(1, 10) == pytest.approx(18)
    now[0] = 99.0
    assert budget.remaining() == pytest.approx(1)
    assert budget.share(1, 1) == 0
    now[0] = 200.0
    assert budget.remaining() == 0


def test_the_best_peer() -> None:
    found = {"mlc": times(2.0), "torch": times(3.0), "triton": times(2.5), "copy": times(1.0)}
    assert (best_peer(found), ratio(found)) == ("triton", 1.25)
    apart = {"mlc": times(2.0), "mlc-no-overlap": times(2.2)}
    assert (best_peer(apart), ratio(apart)) == ("", None)
    assert (best_peer({"mlc": times(1.0)}), ratio({"mlc": times(1.0)})) == ("", None)
    assert ratio({"torch": times(1.0)}) is None


def test_the_table() -> None:
    results = {
        "gemm": {"errors": [1e-6], "verified": True, "times": {"mlc": times(2.0), "torch": times(3.0)}},
        "add": {
            "errors": [0.0],
            "verified": True,
            "times": {"mlc": times(2.0), "copy": times(1.5)},
            "notes": {"triton": "ImportError: no triton"},
        },
        "lost": {"errors": [0.0], "verified": True, "error": "stopped after 9 s"},
        "none": {"errors": [math.nan], "verified": False},
    }
    lost, none, late = (GpuCase(name, "memory", "f32") for name in ("lost", "none", "late"))
    text = markdown([GEMM, ADD, lost, none, late], results).splitlines()
    assert text[2] == "| gemm | 1.0e-06 | 2 | 2 to 4 | 1.0 TFLOP/s | torch | 3 | 1.50 |  |  |"
    assert text[3] == "| add | 0.0e+00 | 2 | 2 to 4 | 500 GB/s |  |  |  | 75% | copy 1.5 |"
    assert text[5:] == [
        "- add: triton: ImportError: no triton",
        "- lost: failed: stopped after 9 s",
        "- none: WRONG: errors nan, tolerance 0; not timed",
        "- late: left out: no time to verify it",
    ]


@pytest.mark.parametrize("causal", [False, True])
def test_the_definition_of_attention(causal: bool) -> None:
    model, random = attention((1, 2, 8, 4), "float32", causal), np.random.default_rng(0)
    inputs = {name: random.normal(size=(1, 2, 8, 4)).astype(np.float32) for name in "qkv"}
    [wanted] = np.asarray(ReferenceEvaluator(model.proto).run(None, inputs))
    [found] = evaluate(model.definition, inputs, OPERATORS)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_the_definition_of_a_convolution() -> None:
    shapes = {"x": (2, 3, 9, 8), "w": (5, 3, 3, 2), "b": (5,)}
    inputs = [WeightSource(name, "float32", shape) for name, shape in shapes.items()]
    attributes: dict[str, Any] = {"kernel_shape": [3, 2], "pads": [1, 0, 2, 1], "strides": [2, 1]}
    model = one_operator(
        [helper.make_node("Conv", ["x", "w", "b"], ["y"], **attributes)], inputs, (2, 5, 5, 8)
    )
    random = np.random.default_rng(0)
    values = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    [wanted] = np.asarray(ReferenceEvaluator(model.proto).run(None, values))
    [found] = evaluate(model.definition, values, OPERATORS)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_operators_that_a_library_lacks_are_named() -> None:
    model = one_operator(
        [helper.make_node("Unheard", ["x"], ["y"])], [WeightSource("x", "float32", (4,))], (4,)
    )
    with pytest.raises(NotImplementedError, match="lacks Unheard"):
        check(model.definition, OPERATORS)


def test_errors_of_results() -> None:
    error = NumpyLibrary.error
    assert error(None, np.float32([1, 2]), np.array([1.0, 4.0])) == 0.5  # type: ignore[arg-type]
    assert math.isnan(error(None, np.float32([1, math.nan]), np.array([1.0, 4.0])))  # type: ignore[arg-type]
