"""Products of 8-bit integers on GPUs: exact, with any zero points, by tensor cores."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlc.codegen.pool import WorkerPool
from mlc.compiler import CompiledProgram, Options, compile_program

M, K, N = 192, 160, 136
# The right operand, and the zero points: None is none, "input" is given when the model runs.
CASES = {
    "no zero points": (np.int8, None, None),
    "of the left operand": (np.int8, "input", None),
    "of weights": (np.int8, None, np.int8(-3)),
    "of both": (np.int8, np.uint8(131), np.arange(N, dtype=np.int8)),
    "of rows": (np.uint8, np.arange(M, dtype=np.uint8), None),
    "unsigned weights around 128": (np.uint8, "input", np.uint8(128)),
    "unsigned weights": (np.uint8, "input", np.uint8(7)),
}


def random_integers(dtype: type[Any], shape: list[int], seed: int) -> np.ndarray:
    """Returns random integers of the whole range of a type."""
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max, shape, dtype, endpoint=True)


def model(name: str) -> onnx.ModelProto:
    """Returns the model of x [M, K], and perhaps z, of u8 to y [M, N]."""
    dtype, left, right = CASES[name]
    inputs = [helper.make_tensor_value_info("x", TensorProto.UINT8, [M, K])]
    weights = {"w": random_integers(dtype, [K, N], 0)}
    if isinstance(left, str):
        inputs.append(helper.make_tensor_value_info("z", TensorProto.UINT8, []))
    elif left is not None:
        weights["z"] = np.asarray(left)
    if right is not None:
        weights["v"] = np.asarray(right)
    points = ["" if left is None else "z", *(["v"] if right is not None else [])]
    node = helper.make_node("MatMulInteger", ["x", "w", *points], ["y"])
    graph = helper.make_graph(
        [node],
        "product",
        inputs,
        [helper.make_tensor_value_info("y", TensorProto.INT32, [M, N])],
        [numpy_helper.from_array(array, key) for key, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def reference(name: str, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    dtype, left, right = CASES[name]
    w = random_integers(dtype, [K, N], 0).astype(np.int32)
    given = z if isinstance(left, str) else np.asarray(0 if left is None else left)
    rows = given.astype(np.int32)[:, None] if given.ndim else given.astype(np.int32)
    columns = np.asarray(0 if right is None else right).astype(np.int32)
    return (x.astype(np.int32) - rows) @ (w - columns)


def compile_case(name: str, architecture: str, pool: WorkerPool, **options: object) -> CompiledProgram:
    given = Options(target=f"cuda:{architecture}", pool=pool, cache=False, **options)  # type: ignore[arg-type]
    return compile_program(model(name), given)


def cases() -> list[object]:
    """Returns all cases; those with the most features are fast."""
    fast = [("of both", "sm_80"), ("unsigned weights around 128", "sm_90a")]
    pairs = [(name, architecture) for name in CASES for architecture in ("sm_80", "sm_90a")]
    return [pytest.param(*pair, marks=() if pair in fast else pytest.mark.slow) for pair in pairs]


@pytest.mark.parametrize(("name", "architecture"), cases())
def test_results_of_the_blocks_on_the_cpu(name: str, architecture: str, pool: WorkerPool) -> None:
    x, z = random_integers(np.uint8, [M, K], 1), random_integers(np.uint8, [], 2)
    program = compile_case(name, architecture, pool, blocks_on_cpu=True)
    given = [x, z] if isinstance(CASES[name][1], str) else [x]
    (found,) = program.executable(threads=2)(*given)
    assert np.array_equal(found, reference(name, x, z))


@pytest.mark.parametrize(("name", "architecture"), cases())
def test_tensor_cores_multiply(name: str, architecture: str, pool: WorkerPool) -> None:
    objects = [value.decode() for value in compile_case(name, architecture, pool).objects.values()]
    types = set(re.findall(r"mma\S*\.s32\.(u8|s8)\.(u8|s8)", "".join(objects)))
    signed = CASES[name][0] is np.int8 or name == "unsigned weights around 128"
    assert types == {("u8", "s8" if signed else "u8")}
    # Their operands come 16 bytes at a time, never byte by byte.
    (product,) = (text for text in objects if "mma" in text)
    assert "cp.async.cg.shared.global" in product and "cp.async.ca" not in product
    assert re.findall(r"\bld\.(?:global|shared)\S*\.[bus]8\b", product) == []
    # None of the others is a product by elements: at most four random_integers of a thread are multiplied.
    others = [text for text in objects if text != product]
    assert all(len(re.findall(r"\bm(?:ul|ad)\.lo\.s32", other)) <= 4 for other in others)


def test_a_right_operand_of_the_caller(pool: WorkerPool) -> None:
    """Many rows are multiplied by it: it is transposed first, so that groups of warps can read it."""
    rows, depth, columns = 1024, 64, 256
    node = helper.make_node("MatMulInteger", ["x", "w"], ["y"])
    shapes = {"x": (TensorProto.UINT8, [rows, depth]), "w": (TensorProto.INT8, [depth, columns])}
    inputs = [helper.make_tensor_value_info(name, *dtype) for name, dtype in shapes.items()]
    output = helper.make_tensor_value_info("y", TensorProto.INT32, [rows, columns])
    made = helper.make_model(
        helper.make_graph([node], "product", inputs, [output]),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=10,
    )
    options = Options(target="cuda:sm_90a", pool=pool, cache=False)
    x, w = random_integers(np.uint8, [rows, depth], 1), random_integers(np.int8, [depth, columns], 2)
    on_cpu = compile_program(made, replace(options, blocks_on_cpu=True))
    (found,) = on_cpu.executable(threads=2)(x, w)
    assert np.array_equal(found, x.astype(np.int32) @ w.astype(np.int32))
    images = b"".join(compile_program(made, options).objects.values()).decode()
    assert re.search(r"wgmma.mma_async\S*\.s32\.u8\.s8", images)
