"""A compiled model on the stub driver: the plan's launches, parameters and memory give the right numbers.

The stub's kernels are the programs of the same thread blocks, compiled for the CPU.
"""

import ctypes
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from cuda_stub import value
from mlc.compiler import Options, compile_program, worker_pool
from mlc.compiler.build import Builder
from mlc.compiler.device_kernel import DeviceKernel, KernelLaunch
from mlc.compiler.levels import units_of
from mlc.runtime import Image, call_entry, load
from onnx import TensorProto, helper, numpy_helper

RNG = np.random.default_rng(0)
WEIGHTS = {
    "w1": RNG.normal(size=(16, 48)).astype(np.float32),
    "b1": RNG.normal(size=48).astype(np.float32),
    "w2": RNG.normal(size=(48, 8)).astype(np.float32),
}


def branches() -> onnx.ModelProto:
    """y = softmax(tanh(x w1 + b1) w2), z = x + x; its first half is joined of two inputs."""
    nodes = [
        helper.make_node("Concat", ["u", "v"], ["x"], axis=0),
        helper.make_node("MatMul", ["x", "w1"], ["p"]),
        helper.make_node("Add", ["p", "b1"], ["s"]),
        helper.make_node("Tanh", ["s"], ["t"]),
        helper.make_node("MatMul", ["t", "w2"], ["q"]),
        helper.make_node("Softmax", ["q"], ["y"], axis=1),
        helper.make_node("Add", ["x", "x"], ["z"]),
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [3, 16]) for name in ("u", "v")]
    outputs = [
        helper.make_tensor_value_info("y", TensorProto.FLOAT, [6, 8]),
        helper.make_tensor_value_info("z", TensorProto.FLOAT, [6, 16]),
    ]
    tensors = [numpy_helper.from_array(array, name) for name, array in WEIGHTS.items()]
    graph = helper.make_graph(nodes, "branches", inputs, outputs, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def wanted(u: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
    x = np.concatenate([u, v]).astype(np.float64)
    scores = np.tanh(x @ WEIGHTS["w1"] + WEIGHTS["b1"]) @ WEIGHTS["w2"]
    powers = np.exp(scores - scores.max(1, keepdims=True))
    return [powers / powers.sum(1, keepdims=True), x + x]


def on_cpu(kernel: str, launch: KernelLaunch, code: bytes) -> Callable[[Any], None]:
    """What the launch's function does, given the addresses of its parameters."""
    image = Image([code])

    def run(parameters: Any) -> None:
        addresses = {
            parameter.buffer: value(ctypes.c_uint64, parameters[number])  # type: ignore[union-attr]
            for number, parameter in enumerate(launch.parameters)
        }
        call_entry(image, kernel, [addresses[number] for number in range(len(addresses))], [], 1)

    return run


@pytest.mark.usefixtures("stub")
def test_a_file_runs(stub: Any, tmp_path: Path) -> None:
    model = branches()
    with worker_pool(1) as pool:
        options = Options(target="cuda:sm_80", cache=False, pool=pool)
        compile_program(model, options).save(tmp_path / "model.mlcx")
        codes = compile_program(model, replace(options, blocks_on_cpu=True)).objects
        objects = Builder(options, pool).build(units_of(model, options)["main"])
    for name, data in objects.items():
        (launch,) = DeviceKernel.from_bytes(data).launches
        stub.kernel(launch.kernel.function, on_cpu(name, launch, codes[name]))
    executable = load(tmp_path / "model.mlcx")
    for seed in (1, 2):
        draw = np.random.default_rng(seed)
        u, v = (draw.normal(size=(3, 16)).astype(np.float32) for _ in range(2))
        for found, right in zip(executable(u, v), wanted(u, v), strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-6)
        outputs = {"y": np.zeros((6, 8), np.float32), "z": np.zeros((6, 16), np.float32)}
        assert executable.run({"v": v, "u": u}, out=outputs)["z"] is outputs["z"]
        np.testing.assert_allclose(outputs["y"], wanted(u, v)[0], rtol=1e-5, atol=1e-6)
    assert stub.calls("cuGraphInstantiateWithFlags") == 1
    assert executable.cuda is not None
    assert executable.cuda.device.properties.architecture == "sm_90"
