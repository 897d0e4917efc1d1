"""A compiled model on the stub driver: the plan's launches, parameters and memory give the right results.

The stub's kernels are the programs of the same thread blocks, compiled for the CPU.
"""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from compiled import compile_for
from onnx import TensorProto, helper, numpy_helper

from mlc.compiler import Options, worker_pool
from mlc.runtime import load

RNG = np.random.default_rng(0)
WEIGHTS = {
    "w1": RNG.normal(size=(16, 48)).astype(np.float32),
    "b1": RNG.normal(size=48).astype(np.float32),
    "w2": RNG.normal(size=(48, 8)).astype(np.float32),
}


def branches() -> onnx.ModelProto:
    """Returns a model of `y = softmax(tanh(x w1 + b1) w2)` and `z = x + x`, where x joins two inputs."""
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


def reference(u: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
    x = np.concatenate([u, v]).astype(np.float64)
    scores = np.tanh(x @ WEIGHTS["w1"] + WEIGHTS["b1"]) @ WEIGHTS["w2"]
    powers = np.exp(scores - scores.max(1, keepdims=True))
    return [powers / powers.sum(1, keepdims=True), x + x]


@pytest.mark.usefixtures("stub")
def test_a_file_runs(stub: Any, tmp_path: Path) -> None:
    model = branches()
    with worker_pool(1) as pool:
        options = Options(target="cuda:sm_80", cache=False, pool=pool)
        compile_for(stub, model, options).save(tmp_path / "model.mlcx")
    executable = load(tmp_path / "model.mlcx")
    for seed in (1, 2):
        draw = np.random.default_rng(seed)
        u, v = (draw.normal(size=(3, 16)).astype(np.float32) for _ in range(2))
        for found, right in zip(executable(u, v), reference(u, v), strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-6)
        outputs = {"y": np.zeros((6, 8), np.float32), "z": np.zeros((6, 16), np.float32)}
        assert executable.run({"v": v, "u": u}, out=outputs)["z"] is outputs["z"]
        np.testing.assert_allclose(outputs["y"], reference(u, v)[0], rtol=1e-5, atol=1e-6)
    assert stub.calls("cuGraphInstantiateWithFlags") == 1
    assert executable.cuda is not None
    assert executable.cuda.device.properties.architecture == "sm_90"
