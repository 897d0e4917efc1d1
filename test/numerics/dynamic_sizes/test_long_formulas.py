"""Sizes that follow from the inputs' by long formulas: chains of windows, whose dims get names where a
formula would grow too long."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from oracle import compile_model, differences, runtime

from mlc.dialects.graph.sizes import size
from mlc.frontends.onnx import import_model

MODEL = """<ir_version: 8, opset_import: ["" : 17]>
g (float[n,3,h,w] x) => (float[n,c,p,q] y)
<float[3,3,3,3] k> {
  a = MaxPool<kernel_shape = [3,3], strides = [2,2], ceil_mode = 1>(x)
  b = Conv<pads = [1,1,1,1], strides = [2,2]>(a, k)
  c = MaxPool<kernel_shape = [3,3], strides = [2,2], ceil_mode = 1, pads = [1,1,1,1]>(b)
  d = Conv<pads = [1,1,1,1]>(c, k)
  e = Add(c, d)
  f = AveragePool<kernel_shape = [2,2], strides = [2,2], ceil_mode = 1>(e)
  y = Concat<axis = 1>(f, f)
}"""


def windows() -> onnx.ModelProto:
    model = onnx.parser.parse_model(MODEL)
    kernel = np.random.default_rng(0).standard_normal((3, 3, 3, 3)).astype(np.float32)
    del model.graph.initializer[:]
    model.graph.initializer.append(onnx.numpy_helper.from_array(kernel, "k"))
    return model


def test_formulas_of_pools_with_ceil_mode_stay_short() -> None:
    text = str(import_model(windows()).module)
    assert "max_pool" in text and "floordiv" in text
    assert max(map(len, text.splitlines())) < 1500


@pytest.mark.parametrize("longest", [size.LONGEST_FORMULA, 30])
def test_windows(longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compares with ONNX Runtime; with the lower limit most dims are named by the op that they come from."""
    monkeypatch.setattr(size, "LONGEST_FORMULA", longest)
    model = windows()
    assert ("max_pool#" in str(import_model(model).module)) == (longest == 30)
    executable = compile_model(model)
    for height, width in ((33, 40), (64, 47), (50, 50)):
        x = np.random.default_rng(height).standard_normal((2, 3, height, width)).astype(np.float32)
        expected = runtime(model, {"x": x})
        assert expected is not None
        assert not differences(executable.run({"x": x}), expected, 1e-5)


INPUTS = {
    "x": np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32),
    "z": np.random.default_rng(1).standard_normal((2, 3)).astype(np.float32),
}


# Each reads a dim with a long formula before, or in, the op of which it is a dim.
@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param("c = Concat<axis = 0>(x, z) y = Add(c, w)", id="operand"),
        pytest.param("c = Concat<axis = 0>(x, z) d = Exp(c) e = Add(d, w) y = Exp(e)", id="after_another"),
        pytest.param(
            "c = Concat<axis = 0>(x, z) d = Concat<axis = 0>(z, x) y = Add(c, d)", id="same_formula"
        ),
        pytest.param(
            "i = NonZero(x) f = Cast<to = 1>(i) e = Concat<axis = 1>(f, f) t = Transpose(e)"
            " s = ReduceMax(w) y = Add(t, s)",
            id="of_elements",
        ),
        pytest.param(
            "a, b = Split<axis = 0>(x) c = Concat<axis = 1>(a, b) e = Concat<axis = 0>(c, c) f = Exp(e)"
            " y = Add(e, f)",
            id="split",
        ),
    ],
)
def test_dims_of_any_op(nodes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All dims have names, and the host program computes their sizes once."""
    monkeypatch.setattr(size, "LONGEST_FORMULA", 2)
    header = '<ir_version: 8, opset_import: ["" : 17]>'
    model = onnx.parser.parse_model(
        f"{header} g (float[n,3] x, float[m,3] z, float[k,3] w) => (y) {{{nodes}}}"
    )
    executable = compile_model(model)
    for rows in (1, 6):
        inputs = INPUTS | {"w": np.ones((rows, 3), np.float32)}
        expected = runtime(model, inputs)
        assert expected is not None
        assert not differences(executable.run(inputs), expected, 1e-5)
