"""Kernels of graph ops as programs of thread blocks: on the CPU, and as threads in the emulator.

Each is compared with what NumPy computes in f64. Tolerance: |a - b| <= 1e-5 * max(1, max |b|) for f32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import accel_gpu
import accel_programs
import numpy as np
import pytest
from mlc.bindings import ir
from mlc.codegen.host import host_target
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline

ARCHS = ("sm_80", "sm_90a", "gfx90a")
RUNS = {"cpu": accel_programs.run, **{arch: accel_gpu.RUNS[arch] for arch in ARCHS}}
TOLERANCE = 1e-5


@dataclass(frozen=True)
class Case:
    """A kernel of f32: shapes of its inputs, of its result, lines of graph ops (`%0`, `%1`, ... are inputs,
    `%r` the result), and what NumPy says."""

    inputs: Sequence[Sequence[int]]
    result: Sequence[int]
    body: str
    wanted: Callable[..., np.ndarray]


def tensor(shape: Sequence[int]) -> str:
    return f"tensor<{''.join(f'{each}x' for each in shape)}f32>"


def op(result: str, name: str, operands: str, kinds: Sequence[str], attributes: str = "") -> str:
    """A graph op; the last of `kinds` is that of its result."""
    given = f" {{{attributes}}}" if attributes else ""
    return f'%{result} = "graph.{name}"({operands}){given} : ({", ".join(kinds[:-1])}) -> {kinds[-1]}\n'


def text(case: Case) -> str:
    arguments = ", ".join(f"%{index}: {tensor(shape)}" for index, shape in enumerate(case.inputs))
    return f"""module attributes {{tloop.target = "{host_target()}"}} {{
      func.func private @k({arguments}) -> {tensor(case.result)} attributes {{tloop.kernel}} {{
        {case.body}
        return %r : {tensor(case.result)}
      }} }}"""


def program(case: Case) -> str:
    """The kernel as launches of thread blocks."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text(case))
        run_pipeline("builtin.module(accel-kernel)", module)
        return str(module)


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def normalised(x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


def unary(name: str, shape: Sequence[int], wanted: Callable[..., np.ndarray], attributes: str = "") -> Case:
    kind = tensor(shape)
    return Case([shape], shape, op("r", name, "%0", [kind, kind], attributes), wanted)


def product(a: Sequence[int], b: Sequence[int]) -> Case:
    """With a bias and an activation."""
    shape = [*np.broadcast_shapes(a[:-2], b[:-2]), a[-2], b[-1]]
    kinds = [tensor(each) for each in (a, b, shape, [shape[-1]])]
    body = (
        op("p", "matmul", "%0, %1", kinds[:3])
        + op("s", "add", "%p, %2", [kinds[2], kinds[3], kinds[2]])
        + op("r", "relu", "%s", [kinds[2], kinds[2]])
    )
    return Case([a, b, [shape[-1]]], shape, body, lambda a, b, c: np.maximum(a @ b + c, 0))


CASES = {
    "one number": unary("neg", [1], np.negative),
    "elementwise with a tail": unary("sqrt", [1037], lambda x: np.sqrt(x), ""),
    "elementwise of odd extents": unary("tanh", [3, 5, 77], np.tanh),
    "broadcasts": Case(
        [[4, 1, 50], [30, 1]],
        [4, 30, 50],
        op("r", "add", "%0, %1", [tensor([4, 1, 50]), tensor([30, 1]), tensor([4, 30, 50])]),
        np.add,
    ),
    "softmax": unary("softmax", [5, 37, 100], softmax, "axis = 2 : i64"),
    "softmax of long rows": unary("softmax", [3, 3000], softmax, "axis = 1 : i64"),
    "layer_norm": unary(
        "layer_norm", [37, 96], normalised, "axes = array<i64: 1>, epsilon = 1.0e-5 : f64"
    ),
    "sums of rows": Case(
        [[70, 50]],
        [70],
        op(
            "r", "reduce_sum", "%0", [tensor([70, 50]), tensor([70])],
            "axes = array<i64: 1>, keepdims = false",
        ),
        lambda x: x.sum(1),
    ),
    "maxima of columns": Case(
        [[3, 50, 70]],
        [3, 1, 70],
        op(
            "r", "reduce_max", "%0", [tensor([3, 50, 70]), tensor([3, 1, 70])],
            "axes = array<i64: 1>, keepdims = true",
        ),
        lambda x: x.max(1, keepdims=True),
    ),
    "transpose": Case(
        [[33, 2, 65]],
        [65, 2, 33],
        op(
            "r", "transpose", "%0", [tensor([33, 2, 65]), tensor([65, 2, 33])],
            "permutation = array<i64: 2, 1, 0>",
        ),
        lambda x: x.transpose(2, 1, 0),
    ),
    "product": product([70, 100], [100, 75]),
    "product of whole tiles": product([64, 64], [64, 128]),
    "batched product": product([3, 20, 33], [3, 33, 40]),
    "product by one matrix": product([3, 20, 33], [33, 40]),
    "matrix times vector": product([70, 100], [100, 1]),
    "vector times matrix": product([1, 100], [100, 75]),
}  # fmt: skip


@pytest.mark.parametrize("where", RUNS)
@pytest.mark.parametrize("name", CASES)
def test_kernels(name: str, where: str) -> None:
    case = CASES[name]
    rng = np.random.default_rng(0)
    inputs = [np.abs(rng.normal(size=shape)).astype(np.float32) for shape in case.inputs]
    found = np.full(case.result, np.nan, np.float32)
    RUNS[where](program(case), *inputs, found)
    wanted = case.wanted(*(each.astype(np.float64) for each in inputs))
    assert np.max(np.abs(found - wanted)) <= TOLERANCE * max(1, np.max(np.abs(wanted)))
