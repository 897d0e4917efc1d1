"""DynamicQuantizeLSTM of com.microsoft against ONNX Runtime.

Signed weights have 7 bits, as quantize_dynamic's reduce_range makes them: where a processor lacks VNNI, ONNX
Runtime saturates sums of two products of 8 bits.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).parents[1]))

from oracle import compile_model

T, BATCH, WIDTH, HIDDEN = 6, 3, 5, 4
DRAW = np.random.default_rng(4)


def normal(*shape: int) -> np.ndarray:
    return DRAW.standard_normal(shape, np.float32)


def info(name: str, array: np.ndarray, shape: Any = None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape if shape is None else shape
    )


def model_of(dtype: Any, per_channel: bool, inputs: dict[str, np.ndarray], **attributes: Any) -> ModelProto:
    directions = 2 if attributes.get("direction") == "bidirectional" else 1
    low, high, zero = (0, 256, 131) if dtype == np.uint8 else (-64, 64, 0)
    of_scale = (directions, 4 * HIDDEN) if per_channel else (directions,)
    weights = {
        "W": DRAW.integers(low, high, (directions, WIDTH, 4 * HIDDEN)).astype(dtype),
        "R": DRAW.integers(low, high, (directions, HIDDEN, 4 * HIDDEN)).astype(dtype),
        "B": normal(directions, 8 * HIDDEN),
        "P": normal(directions, 3 * HIDDEN),
        "W_scale": DRAW.uniform(0.005, 0.015, of_scale).astype(np.float32),
        "R_scale": DRAW.uniform(0.005, 0.015, of_scale).astype(np.float32),
        "zero": np.full(of_scale, zero, dtype),
    }
    given = [name if name in inputs else "" for name in ("lengths", "h", "c")]
    names = ["x", "W", "R", "B", *given, "P", "W_scale", "zero", "R_scale", "zero"]
    attributes = {"domain": "com.microsoft", "hidden_size": HIDDEN, **attributes}
    node = helper.make_node("DynamicQuantizeLSTM", names, ["y", "y_h", "y_c"], **attributes)
    infos = [info(name, array, ["t", "n", WIDTH] if name == "x" else None) for name, array in inputs.items()]
    outputs = [helper.make_tensor_value_info(name, 1, None) for name in node.output]
    tensors = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(
        helper.make_graph([node], "lstm", infos, outputs, tensors), opset_imports=opsets, ir_version=8
    )


def check(model: ModelProto, inputs: dict[str, np.ndarray], tolerance: float = 1e-6) -> None:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Each thread would quantise the states of its part of the batch.
    options.intra_op_num_threads = 1
    expected = onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, inputs)
    found = compile_model(model, threads=1).run(inputs)
    for actual, wanted in zip(found.values(), expected, strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    ("direction", "dtype", "per_channel"),
    [
        ("forward", np.uint8, False),
        ("reverse", np.int8, False),
        ("bidirectional", np.int8, True),
        ("bidirectional", np.uint8, True),
    ],
)
def test_weights_and_directions(direction: str, dtype: Any, per_channel: bool) -> None:
    directions = 2 if direction == "bidirectional" else 1
    inputs = {"x": normal(T, BATCH, WIDTH)}
    if per_channel:
        inputs |= {"h": normal(directions, BATCH, HIDDEN), "c": normal(directions, BATCH, HIDDEN)}
    check(model_of(dtype, per_channel, inputs, direction=direction), inputs)


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_lengths(direction: str) -> None:
    """Steps after the longest sequence do not count for the range of x."""
    x = normal(T, BATCH, WIDTH)
    x[4:] *= 100
    inputs = {"x": x, "lengths": np.full(BATCH, 4, np.int32)}
    model = model_of(np.uint8, False, inputs, direction=direction)
    check(model, inputs)
    # ONNX Runtime's range of a state includes what it leaves of sequences that have ended.
    check(model, inputs | {"lengths": np.array([2, 4, 3], np.int32)}, tolerance=0.01)


def test_model_of_quantize_dynamic(tmp_path: Path) -> None:
    from onnxruntime.quantization import quantize_dynamic

    weights = {
        "W": normal(2, 4 * HIDDEN, WIDTH),
        "R": normal(2, 4 * HIDDEN, HIDDEN),
        "B": normal(2, 8 * HIDDEN),
    }
    node = helper.make_node(
        "LSTM", ["x", *weights], ["y", "y_h", "y_c"], hidden_size=HIDDEN, direction="bidirectional"
    )
    inputs = {"x": normal(T, BATCH, WIDTH)}
    outputs = [helper.make_tensor_value_info(name, 1, None) for name in node.output]
    tensors = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph([node], "lstm", [info("x", inputs["x"])], outputs, tensors)
    float_model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(float_model, tmp_path / "m.onnx")
    quantize_dynamic(tmp_path / "m.onnx", tmp_path / "q.onnx", reduce_range=True)
    model = onnx.load(tmp_path / "q.onnx")
    assert [entry.op_type for entry in model.graph.node] == ["DynamicQuantizeLSTM"]
    check(model, inputs)
