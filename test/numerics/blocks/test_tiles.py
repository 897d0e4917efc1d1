"""Kernels of graph ops in f32 as programs of thread blocks: on the CPU, and as threads in the emulator,
against NumPy in f64."""

from __future__ import annotations

from collections.abc import Sequence

import accel_gpu
import accel_programs
import numpy as np
import pytest
from sampled_runs import sample_cases
from tile_kernels import TileCase, check, normalise, op, return_op, single, softmax

ARCHS = ("sm_80", "sm_90a", "gfx90a")
RUNS = {"cpu": accel_programs.run, **{arch: accel_gpu.RUNS[arch] for arch in ARCHS}}


def product(a: Sequence[int], b: Sequence[int]) -> TileCase:
    """A product with a bias and an activation."""
    shape = [*np.broadcast_shapes(tuple(a[:-2]), tuple(b[:-2])), a[-2], b[-1]]
    left, right, bias, result = (
        "x".join([*map(str, extents), "f32"]) for extents in (a, b, shape[-1:], shape)
    )
    body = op("p", "matmul", "%0, %1", [left, right, result])
    body += op("s", "add", "%p, %2", [result, bias, result]) + op("r", "relu", "%s", [result, result])
    return TileCase(
        [left, right, bias],
        [result],
        body + return_op("r", [result]),
        lambda a, b, c: np.maximum(a @ b + c, 0),
    )


def angles(rng: np.random.Generator, shape: Sequence[int]) -> np.ndarray:
    """Small and large ones."""
    return rng.normal(size=shape) * 10.0 ** rng.integers(-3, 30, shape)


CONSTANT = '%r = "graph.constant"() {value = dense<true> : tensor<3x5xi1>} : () -> tensor<3x5xi1>\n'
CONSTANT += return_op("r", ["3x5xi1"])
CONSTANT_PART = '%c = "graph.constant"() {value = dense<2.5> : tensor<4x3xf32>} : () -> tensor<4x3xf32>\n'
CONSTANT_PART += op(
    "r",
    "concat",
    "%c, %0",
    ["4x3xf32", "4x50xf32", "4x53xf32"],
    "axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>",
)
CONSTANT_PART += return_op("r", ["4x53xf32"])
CASES = {
    "one element": single("neg", ["1xf32"], "1xf32", np.negative),
    "elementwise with a tail": single(
        "sqrt", ["1037xf32"], "1037xf32", np.sqrt, values=[lambda rng, shape: rng.random(shape)]
    ),
    "elementwise of odd extents": single("tanh", ["3x5x77xf32"], "3x5x77xf32", np.tanh),
    # Their remainder of a quarter turn is a product of integers with a low and a high half.
    "cosines of large angles": single("cos", ["301xf32"], "301xf32", np.cos, values=[angles]),
    "broadcasts": single("add", ["4x1x50xf32", "30x1xf32"], "4x30x50xf32", np.add),
    "softmax": single("softmax", ["5x37x100xf32"], "5x37x100xf32", softmax, "axis = 2 : i64"),
    "softmax of long rows": single("softmax", ["3x3000xf32"], "3x3000xf32", softmax, "axis = 1 : i64"),
    "layer_norm": single(
        "layer_norm", ["37x96xf32"], "37x96xf32", normalise, "axes = array<i64: 1>, epsilon = 1.0e-5 : f64"
    ),
    "sums of rows": single(
        "reduce_sum", ["70x50xf32"], "70xf32", lambda x: x.sum(1), "axes = array<i64: 1>, keepdims = false"
    ),
    "maxima of columns": single(
        "reduce_max", ["3x50x70xf32"], "3x1x70xf32", lambda x: x.max(1, keepdims=True),
        "axes = array<i64: 1>, keepdims = true",
    ),
    "transpose": single(
        "transpose", ["33x2x65xf32"], "65x2x33xf32", np.transpose, "permutation = array<i64: 2, 1, 0>"
    ),
    "product": product([70, 100], [100, 75]),
    "product of full tiles": product([64, 64], [64, 128]),
    "batched product": product([3, 20, 33], [3, 33, 40]),
    "product by one matrix": product([3, 20, 33], [33, 40]),
    "matrix times vector": product([70, 100], [100, 1]),
    "vector times matrix": product([1, 100], [100, 75]),
    "vector times vector": single("matmul", ["3000xf32", "3000xf32"], "f32", np.dot),
    "a constant result": TileCase([], ["3x5xi1"], CONSTANT, lambda: np.full((3, 5), True)),
    "a constant part": TileCase(
        ["4x50xf32"], ["4x53xf32"], CONSTANT_PART, lambda x: np.pad(x, [(0, 0), (3, 0)], constant_values=2.5)
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "where"), sample_cases(CASES, RUNS))
def test_kernels(name: str, where: str) -> None:
    check(CASES[name], RUNS[where])
