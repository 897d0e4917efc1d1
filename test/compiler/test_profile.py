"""Profiles of compiled models: what runs, how often, what it computes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_node as node

import mlc
from mlc.codegen.pool import WorkerPool
from mlc.compiler import Options, compile_program
from mlc.runtime import Executable, ExecutableError, Profile

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
WEIGHT = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32)


def model(
    nodes: list[onnx.NodeProto], inputs: dict[str, Any], outputs: dict[str, Any], **constants: Any
) -> onnx.ModelProto:
    """Returns a model; inputs and outputs have a type and a shape."""
    sources, results = (
        [helper.make_tensor_value_info(name, *given) for name, given in side.items()]
        for side in (inputs, outputs)
    )
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "g", sources, results, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def layers(rows: int | str) -> onnx.ModelProto:
    """Returns two equal layers, and a softmax of rows."""
    nodes = [
        node("MatMul", ["x", "w"], ["a"], name="first"),
        node("Relu", ["a"], ["b"], name="relu"),
        node("MatMul", ["b", "v"], ["c"], name="second"),
        node("Relu", ["c"], ["d"], name="again"),
        node("Softmax", ["d"], ["y"], name="rows"),
    ]
    return model(nodes, {"x": (FLOAT, [rows, 32])}, {"y": (FLOAT, [rows, 32])}, w=WEIGHT, v=WEIGHT[::-1])


def build(proto: onnx.ModelProto, pool: WorkerPool, **options: Any) -> Executable:
    return compile_program(proto, Options(pool=pool, **options)).executable(1)


def launches(profile: Profile) -> dict[tuple[str, ...], float]:
    """Returns launches per call by ONNX nodes."""
    return {kernel.nodes: kernel.launches / profile.calls for kernel in profile.kernels}


def x(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def test_kernels_of_a_static_model(pool: WorkerPool, tmp_path: Path) -> None:
    executable = build(layers(8), pool)
    executable.save(tmp_path / "m.mlcx")
    for program in (executable, Executable.load(tmp_path / "m.mlcx", threads=2)):
        profile = program.profile(x(8, 32), calls=3)
        assert launches(profile) == {("first", "relu", "second", "again"): 2, ("rows",): 1}
        kernels = {kernel.nodes[0]: kernel for kernel in profile.kernels}
        product, rows = kernels["first"], kernels["rows"]
        assert (product.dtype, product.schedule) == ("float32", "register-tiles")
        assert product.flops == product.launches * (2 * 8 * 32 * 32 + 8 * 32)
        assert rows.moved_bytes == rows.launches * 2 * 8 * 32 * 4
        assert profile.threads == program.threads


def test_results_are_those_of_other_calls(pool: WorkerPool) -> None:
    executable = build(layers("batch"), pool)
    program = executable._link_measured()._program
    for rows in (1, 7, 64):
        outputs, _ = program.profile([x(rows, 32)])
        np.testing.assert_array_equal(outputs[0], executable(x(rows, 32))[0])


def test_work_depends_on_sizes(pool: WorkerPool) -> None:
    executable = build(layers("batch"), pool)
    for rows in (3, 50):
        profile = executable.profile(x(rows, 32), calls=1)
        product = next(kernel for kernel in profile.kernels if "first" in kernel.nodes)
        assert product.launches == 2
        assert product.flops == 2 * (2 * rows * 32 * 32 + rows * 32)
        assert product.moved_bytes == 2 * 4 * (2 * rows * 32 + 32 * 32)


def test_each_iteration_of_a_loop_counts(pool: WorkerPool) -> None:
    body = helper.make_graph(
        [
            node("Identity", ["go"], ["on"]),
            node("MatMul", ["h", "w"], ["p"], name="product"),
            node("Tanh", ["p"], ["q"], name="tanh"),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("h", FLOAT, [4, 32]),
        ],
        [
            helper.make_tensor_value_info("on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("q", FLOAT, [4, 32]),
        ],
    )
    loop = node("Loop", ["n", "", "x"], ["y"], body=body)
    inputs = {"n": (INT64, []), "x": (FLOAT, [4, 32])}
    executable = build(model([loop], inputs, {"y": (FLOAT, [4, 32])}, w=WEIGHT), pool)
    for count in (0, 1, 9):
        profile = executable.profile(np.array(count), x(4, 32), calls=1)
        counts = [often for nodes, often in launches(profile).items() if "Loop:y/product" in nodes]
        assert counts == ([count] if count else [])


def test_an_index_out_of_range_fails_as_in_other_calls(pool: WorkerPool) -> None:
    nodes = [node("Relu", ["x"], ["r"], name="relu"), node("Gather", ["r", "i"], ["y"], name="gather")]
    inputs = {"x": (FLOAT, [4, 32]), "i": (INT64, [3])}
    executable = build(model(nodes, inputs, {"y": (FLOAT, [3, 32])}), pool)
    for _ in range(2):
        with pytest.raises(ValueError, match="gather"):
            executable.profile(x(4, 32), np.array([0, 4, 1]))
        assert executable.profile(x(4, 32), np.array([0, 3, 1]), calls=1).kernels


def test_concurrent_profiles_count_their_own_launches(pool: WorkerPool) -> None:
    executable = build(layers("batch"), pool)

    def flops(rows: int) -> float:
        profile = executable.profile(x(rows, 32), calls=40)
        return sum(kernel.flops or 0 for kernel in profile.kernels if "first" in kernel.nodes) / profile.calls

    with ThreadPoolExecutor(4) as threads:
        for rows, count in zip(range(1, 9), threads.map(flops, range(1, 9)), strict=True):
            assert count == 2 * (2 * rows * 32 * 32 + rows * 32)


def test_the_specialised_program_for_the_sizes(pool: WorkerPool) -> None:
    policy = mlc.Specialise(sizes=[{"batch": 8}], automatic=False)
    executable = build(layers("batch"), pool, specialise=policy)
    own, general = (executable.profile(x(rows, 32), calls=1) for rows in (8, 9))
    assert (own.sizes, general.sizes) == ({"batch": 8}, None)
    assert launches(own) == launches(general) == {("first", "relu", "second", "again"): 2, ("rows",): 1}
    assert "the program specialised for batch=8" in str(own)


def test_calls_that_another_program_serves(pool: WorkerPool) -> None:
    inputs = {"a": (FLOAT, ["n", 3]), "b": (FLOAT, [3, "n"])}
    proto = model([node("MatMul", ["a", "b"], ["y"], name="product")], inputs, {"y": (FLOAT, None)})
    executable = build(proto, pool)
    assert launches(executable.profile(x(4, 3), x(3, 5), calls=1)) == {("product",): 1}


def test_strings_are_host_time(pool: WorkerPool) -> None:
    inputs = {"s": (TensorProto.STRING, [2])}
    upper = node("StringNormalizer", ["s"], ["y"], case_change_action="UPPER")
    executable = build(model([upper], inputs, {"y": (TensorProto.STRING, [2])}), pool)
    profile = executable.profile(np.array(["a", "b"], object), calls=1)
    assert profile.kernels == () and profile.host_seconds == profile.seconds > 0


def test_a_gpu_has_no_profile(pool: WorkerPool) -> None:
    executable = build(layers(8), pool, target="cuda:sm_90a")
    with pytest.raises(ExecutableError, match="profiles of programs of GPUs are not supported"):
        executable.profile(x(8, 32))
