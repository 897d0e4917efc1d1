"""Local response normalisation at its edges.

The oracle is the definition in f64: ONNX Runtime refuses even sizes and ranks other than 4, onnx's reference
evaluator is wrong.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from oracle import compile_model, differences
from pieces import Pieces
from shape_groups import random

# Shape, then attributes: windows wider than the channels, of an even size, of one channel; other exponents.
CASES: list[tuple[tuple[int, ...], dict[str, float]]] = [
    ((2, 7, 3, 5), {"size": 4, "alpha": 0.01, "beta": 0.6, "bias": 2.0}),
    ((2, 40, 9, 17), {"size": 5, "alpha": 0.5}),
    ((1, 3, 70, 70), {"size": 9, "alpha": 3.0, "beta": 0.5}),
    ((1, 2, 4, 4), {"size": 2, "alpha": 1.0, "beta": 1.0}),
    ((3, 5, 6), {"size": 3, "alpha": 1.0, "beta": 0.75, "bias": 0.5}),
    ((2, 6, 3, 2, 3), {"size": 1, "alpha": 2.0, "beta": 0.25}),
    ((4, 9), {"size": 7, "alpha": 1.0, "beta": -0.75}),
    ((1, 1, 5, 5), {"size": 5, "alpha": 1.0, "beta": 0.0}),
]


def normalise(x: np.ndarray, attributes: dict[str, float]) -> np.ndarray:
    """Computes in f64; the window reaches `(size - 1) // 2` channels back and `size // 2` on."""
    size = int(attributes["size"])
    around = [(0, 0), ((size - 1) // 2, size // 2), *[(0, 0)] * (x.ndim - 2)]
    sums = sliding_window_view(np.pad(x.astype(np.float64) ** 2, around), size, axis=1).sum(-1)
    base = attributes.get("bias", 1.0) + attributes["alpha"] / size * sums
    return (x / base ** attributes.get("beta", 0.75)).astype(x.dtype)


def test_windows_and_exponents() -> None:
    pieces, wanted = Pieces(), {}
    for index, (shape, attributes) in enumerate(CASES):
        x = random(*shape)
        pieces.add(f"y{index}", "LRN", x, **attributes)
        wanted[f"y{index}"] = normalise(x, attributes)
    assert not differences(compile_model(pieces.model()).run(pieces.inputs), wanted)


@pytest.mark.parametrize("element_type", ["float16", "float64"])
def test_other_types(element_type: str) -> None:
    x, attributes = random(1, 24, 6, 11, dtype=element_type), {"size": 5, "alpha": 0.5, "beta": 0.75}
    pieces = Pieces()
    pieces.add("y", "LRN", x, **attributes)
    assert not differences(compile_model(pieces.model()).run(pieces.inputs), {"y": normalise(x, attributes)})


def test_special_values_stay_in_their_windows() -> None:
    x = np.ones((1, 12, 2, 3), np.float32)
    x[0, 0, 0, 0], x[0, 11, 0, 1], x[0, 5, 1, 2] = np.nan, np.inf, 1e30
    pieces, attributes = Pieces(), {"size": 5, "alpha": 1.0, "beta": 0.75}
    pieces.add("y", "LRN", x, **attributes)
    result = compile_model(pieces.model()).run(pieces.inputs)["y"]
    touched = np.zeros(x.shape, bool)
    touched[0, :3, 0, 0] = touched[0, 9:, 0, 1] = touched[0, 3:8, 1, 2] = True
    with np.errstate(all="ignore"):
        clean = normalise(x, attributes)
    assert np.isnan(result[0, :3, 0, 0]).all()
    assert np.isnan(result[0, 11, 0, 1])
    assert (result[0, 9:11, 0, 1] == 0).all()
    np.testing.assert_allclose(result[~touched], clean[~touched], rtol=1e-6)


def test_accuracy() -> None:
    """Within 4 ulp of the exact value where the exponent needs only roots."""
    x, attributes = random(1, 32, 8, 16) * 20, {"size": 5, "alpha": 1.0, "beta": 0.75}
    pieces = Pieces()
    pieces.add("y", "LRN", x, **attributes)
    exact = normalise(x.astype(np.float64), attributes)
    error = np.abs(compile_model(pieces.model()).run(pieces.inputs)["y"] - exact) / np.spacing(
        np.abs(exact).astype(np.float32)
    )
    assert error.max() <= 4
