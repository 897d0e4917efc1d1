"""RNN, GRU and LSTM compute what ONNX Runtime says."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from control_models import recurrent, recurrent_arrays
from oracle import compile_model, differences, expected_of

# operator, attributes, inputs
FAST: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "lstm": ("LSTM", {}, {}),
    "gru": ("GRU", {"linear_before_reset": 1}, {"batch": 2}),
    "rnn_lengths": ("RNN", {"direction": "bidirectional"}, {"batch": 2, "directions": 2, "lengths": (5, 2)}),
}
SLOW: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "lstm_batch": ("LSTM", {}, {"batch": 3, "peepholes": True}),
    "lstm_bidirectional": ("LSTM", {"direction": "bidirectional"}, {"directions": 2, "batch": 2}),
    "lstm_reverse_lengths": ("LSTM", {"direction": "reverse"}, {"batch": 3, "lengths": (4, 5, 1)}),
    "lstm_peepholes": ("LSTM", {}, {"peepholes": True, "states": False}),
    "lstm_clip": ("LSTM", {"clip": 0.3}, {}),
    "lstm_input_forget": ("LSTM", {"input_forget": 1}, {"bias": False}),
    "lstm_wide": ("LSTM", {}, {"time": 20, "size": 40, "hidden": 64}),
    "lstm_one_step": ("LSTM", {}, {"time": 1, "batch": 2}),
    "lstm_activations": (
        "LSTM",
        {"activations": ["HardSigmoid", "Softsign", "Affine"], "activation_alpha": [0.3, 0.7],
         "activation_beta": [0.4, 0.1]},
        {},
    ),
    "gru_reset_first": ("GRU", {}, {}),
    "gru_reset_first_batch": ("GRU", {}, {"batch": 3, "bias": False}),
    "gru_one": ("GRU", {"linear_before_reset": 1}, {}),
    "gru_bidirectional_lengths": (
        "GRU", {"direction": "bidirectional"}, {"batch": 2, "directions": 2, "lengths": (2, 4)}
    ),
    "gru_activations": ("GRU", {"activations": ["Sigmoid", "LeakyRelu"], "activation_alpha": [0.2]}, {}),
    "gru_clip": ("GRU", {"clip": 0.4}, {"batch": 2}),
    "rnn": ("RNN", {}, {}),
    "rnn_reverse": ("RNN", {"direction": "reverse"}, {"batch": 2, "states": False}),
    "rnn_relu": ("RNN", {"activations": ["Relu"]}, {"batch": 2}),
    "rnn_scaled_tanh": (
        "RNN", {"activations": ["ScaledTanh"], "activation_alpha": [1.5], "activation_beta": [0.6]}, {}
    ),
}  # fmt: skip


def check(
    op_type: str, attributes: dict[str, Any], options: dict[str, Any], weights: str = "", **more: Any
) -> None:
    arrays = recurrent_arrays(op_type, **options)
    hidden = options.get("hidden", 4)
    given = ["X", "lengths", "first_h", "first_c", *weights.split()]
    built = recurrent(op_type, arrays, given, hidden_size=hidden, **attributes, **more)
    inputs = {name: array for name, array in arrays.items() if array is not None and name in given}
    expected = expected_of(built, inputs)
    assert not differences(compile_model(built).run(inputs), expected)


@pytest.mark.parametrize("name", FAST)
def test_recurrent_operator(name: str) -> None:
    check(*FAST[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_recurrent_attributes(name: str) -> None:
    check(*SLOW[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
def test_batches_first(name: str) -> None:
    """A layout that ONNX Runtime refuses: results equal those of the other layout."""
    options = {"batch": 3, "directions": 2, "lengths": (5, 3, 1)}
    attributes = {"hidden_size": 4, "direction": "bidirectional"}
    arrays = recurrent_arrays(name, **options)
    expected = compile_model(recurrent(name, arrays, ["X"], **attributes)).run({"X": arrays["X"]})
    for state in ("first_h", "first_c"):
        if arrays.get(state) is not None:
            arrays[state] = np.swapaxes(arrays[state], 0, 1).copy()
    arrays["X"] = np.swapaxes(arrays["X"], 0, 1).copy()
    found = compile_model(recurrent(name, arrays, ["X"], layout=1, **attributes)).run({"X": arrays["X"]})
    swapped = {name: np.swapaxes(array, 0, 1) for name, array in expected.items()}
    swapped["Y"] = np.transpose(expected["Y"], (2, 0, 1, 3))
    assert not differences(found, swapped)


@pytest.mark.slow
@pytest.mark.parametrize("opset", [7, 14])
@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
def test_older_opsets(name: str, opset: int) -> None:
    check(name, {}, {"batch": 2}, opset=opset)


@pytest.mark.slow
def test_weights_that_are_inputs() -> None:
    check("LSTM", {}, {"batch": 2}, weights="W R B")


@pytest.mark.slow
def test_f64() -> None:
    check("GRU", {}, {"dtype": np.float64})


def with_open_sizes(built: onnx.ModelProto) -> onnx.ModelProto:
    """Opens the numbers of steps and of sequences."""
    for dim, name in zip(built.graph.input[0].type.tensor_type.shape.dim, ("steps", "batch"), strict=False):
        dim.dim_param = name
    return built


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("LSTM", {"direction": "bidirectional"}),
        ("GRU", {}),
        ("GRU", {"linear_before_reset": 1}),
        ("RNN", {"direction": "reverse"}),
    ],
)
def test_open_sizes_without_states(name: str, attributes: dict[str, Any]) -> None:
    directions = 2 if attributes.get("direction") == "bidirectional" else 1
    arrays = recurrent_arrays(name, directions=directions, states=False)
    built = with_open_sizes(recurrent(name, arrays, ["X"], hidden_size=4, **attributes))
    program = compile_model(built)
    for steps, batch in ((1, 1), (5, 1), (1, 3), (5, 3)):
        x = recurrent_arrays(name, time=steps, batch=batch)["X"]
        assert not differences(program.run({"X": x}), expected_of(built, {"X": x}))


def test_a_state_of_zeros_does_not_read_the_weights() -> None:
    arrays = recurrent_arrays("LSTM", states=False)
    arrays["R"] = np.full_like(arrays["R"], np.nan)
    x = np.ones((2, 3, 3), np.float32)
    program = compile_model(with_open_sizes(recurrent("LSTM", arrays, ["X"], hidden_size=4)))
    assert np.isfinite(program.run({"X": x[:1]})["Y"]).all()
    first, second = program.run({"X": x})["Y"]
    assert np.isfinite(first).all() and np.isnan(second).all()
