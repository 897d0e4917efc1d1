"""BatchNormalization with the batch's statistics, in all its versions, and the optimizers."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from oracle import Arrays, compile_model, differences, reference

DOMAIN = "ai.onnx.preview.training"
Statistics = tuple[np.ndarray, ...]


def model_of(node: onnx.NodeProto, inputs: Arrays, opset: int) -> onnx.ModelProto:
    """A model of one node, all of whose outputs are the model's."""
    values = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in inputs.items()
    ]
    outputs = [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in node.output]
    graph = helper.make_graph([node], "one", values, outputs)
    opsets = [helper.make_opsetid("", max(opset, 1)), *([helper.make_opsetid(DOMAIN, 1)] * bool(node.domain))]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def batch_norm(x: np.ndarray, opset: int, outputs: list[str], **attributes: Any) -> tuple[Arrays, Arrays]:
    """Inputs and the compiled outputs; every parameter has one entry per channel, or per element."""
    rng = np.random.default_rng(opset)
    shape = x.shape[1:] if attributes.get("spatial") == 0 else x.shape[1:2]
    inputs = {"x": x} | {
        n: rng.uniform(0.5, 2, shape).astype(x.dtype) for n in ("scale", "bias", "mean", "var")
    }
    node = helper.make_node("BatchNormalization", list(inputs), outputs, name="bn", **attributes)
    return inputs, compile_model(model_of(node, inputs, opset)).run(inputs)


def expected_batch_norm(inputs: Arrays, axes: tuple[int, ...], momentum: float) -> Statistics:
    """Returns y, running mean and variance, the batch's mean and variance, in f64."""
    x, *parameters = (value.astype(np.float64) for value in inputs.values())
    shape = [1 if i in axes else d for i, d in enumerate(x.shape)]
    scale, bias, old_mean, old_variance = parameters
    mean, variance = x.mean(axes), x.var(axes)
    y = (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + 1e-5)
    y = y * scale.reshape(shape) + bias.reshape(shape)
    running = [
        momentum * old + (1 - momentum) * new for old, new in ((old_mean, mean), (old_variance, variance))
    ]
    return y, *running, mean, variance


X = np.random.default_rng(0).uniform(-2, 3, (3, 4, 5, 2)).astype(np.float32)
NAMES = ["y", "running_mean", "running_variance", "saved_mean", "saved_variance"]


@pytest.mark.parametrize(
    ("opset", "count", "attributes"),
    [
        (15, 3, {"training_mode": 1, "momentum": 0.75}),
        pytest.param(14, 3, {"training_mode": 1}, marks=pytest.mark.slow),
        pytest.param(9, 5, {"momentum": 0.5}, marks=pytest.mark.slow),
        pytest.param(7, 5, {"spatial": 0}, marks=pytest.mark.slow),
        pytest.param(6, 1, {}, marks=pytest.mark.slow),
    ],
)
def test_batch_normalization_with_statistics_of_the_batch(
    opset: int, count: int, attributes: dict[str, Any]
) -> None:
    inputs, actual = batch_norm(X, opset, NAMES[:count], **attributes)
    axes = (0,) if attributes.get("spatial") == 0 else (0, 2, 3)
    found = expected_batch_norm(inputs, axes, attributes.get("momentum", 0.9))
    expected = {name: value.astype(np.float32) for name, value in zip(NAMES[:count], found, strict=False)}
    assert not differences(actual, expected)


@pytest.mark.slow
def test_statistics_of_f16_are_computed_in_f32() -> None:
    """Squares of these values are beyond f16."""
    inputs, actual = batch_norm((X * 300).astype(np.float16), 15, NAMES[:3], training_mode=1)
    found = expected_batch_norm(inputs, (0, 2, 3), 0.9)
    assert np.isfinite(actual["running_variance"]).all() == (found[2] < 65504).all()
    np.testing.assert_allclose(actual["y"], found[0], rtol=2e-3, atol=2e-3)
    np.testing.assert_allclose(actual["running_mean"], found[1], rtol=2e-3)


OPTIMIZERS: dict[str, tuple[int, dict[str, Any]]] = {
    "Adagrad": (1, {"norm_coefficient": 0.001, "epsilon": 1e-5, "decay_factor": 0.1}),
    "Adam": (2, {"norm_coefficient": 0.001, "alpha": 0.95, "beta": 0.1, "norm_coefficient_post": 0.01}),
    "Momentum": (1, {"norm_coefficient": 0.001, "alpha": 0.95, "beta": 0.8, "mode": "nesterov"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("step", [0, 3])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name: str, step: int) -> None:
    """Two tensors at a time: inputs are grouped by role, not by tensor."""
    state, attributes = OPTIMIZERS[name]
    rng = np.random.default_rng(4)
    groups = {
        f"{prefix}{i}": rng.uniform(0.1, 2, (3 + i,)).astype(np.float32)
        for prefix in ("x", "gradient", "v", "h")[: 2 + state]
        for i in range(2)
    }
    inputs = {"rate": np.array(0.1, np.float32), "step": np.array(step, np.int64), **groups}
    outputs = [f"new_{key}" for key in groups if not key.startswith("gradient")]
    node = helper.make_node(name, list(inputs), outputs, name="update", domain=DOMAIN, **attributes)
    model = model_of(node, inputs, 21)
    assert not differences(compile_model(model).run(inputs), reference(model, inputs))
