"""Products of f8 with scales on GPUs: by tensor cores, where the precision is not f32."""

from __future__ import annotations

import re
from collections.abc import Sequence

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlc.codegen.pool import WorkerPool
from mlc.compiler import CompiledProgram, Options, compile_program

# Tiles for groups of warps, and enough of them.
M, K, N = 1024, 160, 512
E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
X_SCALE = np.float32(0.02)
# Name -> (type of the weights, their scales, whether they are stored as [N, K])
CASES = {
    "one scale": (E4M3, np.float32(0.5), False),
    "scales of columns": (E5M2, np.linspace(0.5, 2, N, dtype=np.float32), False),
    "transposed weights": (E4M3, np.linspace(0.5, 2, N, dtype=np.float32), True),
}


def weights(name: str) -> np.ndarray:
    dtype, _, flipped = CASES[name]
    values = np.random.default_rng(0).normal(size=(N, K) if flipped else (K, N))
    return values.astype(dtype)


def model(name: str) -> onnx.ModelProto:
    """Returns the model of x [M, K] of f32, quantised and dequantised, times dequantised weights: y [M,
    N]."""
    _, scale, flipped = CASES[name]
    w = weights(name)
    element = helper.np_dtype_to_tensor_dtype(w.dtype)
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "zero"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s"], ["a"]),
        helper.make_node("DequantizeLinear", ["w", "t"], ["v"], axis=0 if flipped else 1),
    ]
    if flipped:
        nodes.append(helper.make_node("Transpose", ["v"], ["b"], perm=[1, 0]))
    nodes.append(helper.make_node("MatMul", ["a", "b" if flipped else "v"], ["y"]))
    initializers = [
        numpy_helper.from_array(np.asarray(X_SCALE), "s"),
        numpy_helper.from_array(np.asarray(scale), "t"),
        helper.make_tensor("zero", TensorProto.FLOAT8E4M3FN, [], [0.0]),
        helper.make_tensor("w", element, w.shape, w.tobytes(), raw=True),
    ]
    graph = helper.make_graph(
        nodes,
        "product",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [M, K])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [M, N])],
        initializers,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def reference(name: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The result, and the sum of its terms' magnitudes."""
    _, scale, flipped = CASES[name]
    left = (x / X_SCALE).astype(E4M3).astype(np.float64) * X_SCALE
    w = weights(name).astype(np.float64)
    right = (w.T if flipped else w) * np.asarray(scale)
    return left @ right, np.abs(left) @ np.abs(right)


def compile_case(name: str, architecture: str, pool: WorkerPool, **options: object) -> CompiledProgram:
    given = Options(target=f"cuda:{architecture}", pool=pool, cache=False, **options)  # type: ignore[arg-type]
    return compile_program(model(name), given)


@pytest.mark.parametrize("name", CASES)
def test_results_of_the_blocks_on_the_cpu(name: str, pool: WorkerPool) -> None:
    """Tolerance: 100 roundings to f32 of the sum of the terms' magnitudes."""
    x = np.random.default_rng(1).normal(size=(M, K)).astype(np.float32)
    program = compile_case(name, "sm_90a", pool, blocks_on_cpu=True, precision="bf16")
    (found,) = program.executable(threads=2)(x)
    result, size = reference(name, x)
    assert np.all(np.abs(found - result) <= 100 * 2.0**-24 * size)


def products(program: CompiledProgram) -> set[Sequence[str]]:
    """Returns the types of accumulators and operands of the tensor cores' instructions."""
    images = b"".join(program.objects.values()).decode()
    return set(re.findall(r"mma\S*\.(f32)\.(e\dm\d|f16|bf16)\.(e\dm\d|f16|bf16)", images))


@pytest.mark.parametrize("name", CASES)
def test_tensor_cores_multiply(name: str, pool: WorkerPool) -> None:
    element = "e5m2" if CASES[name][0] is E5M2 else "e4m3"
    hopper = compile_case(name, "sm_90a", pool, precision="bf16")
    assert products(hopper) == {("f32", "e4m3", element)}
    assert products(compile_case(name, "sm_80", pool, precision="f16")) == {("f32", "f16", "f16")}


def test_f32_stays_exact(pool: WorkerPool) -> None:
    assert not products(compile_case("one scale", "sm_90a", pool))
