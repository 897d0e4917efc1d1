"""Operators on complex numbers, of static and of dynamic sizes.

Sums of products have the tolerance of f32 and f64, of the largest element; all else is exact.
"""

from __future__ import annotations

import numpy as np
import pytest
from complex_pieces import OPSET, cases, results, with_named_dims
from onnx import TensorProto, helper
from oracle import Arrays, compile_model, differences
from pieces import Pieces

from mlc.frontends.errors import ModelError

TOLERANCE = {"complex64": 1e-6, "complex128": 1e-14}


def build(name: str, *operators: str) -> tuple[Pieces, Arrays]:
    """Returns the cases of operators (none: of all), and their results."""
    pieces, expected = Pieces(OPSET), Arrays()
    for label, op, operands, attributes, function in cases(np.dtype(name)):
        if operators and op not in operators:
            continue
        with np.errstate(all="ignore"):
            found = results(function(*operands))
        onnx_types = [helper.np_dtype_to_tensor_dtype(array.dtype) for array in found]
        pieces.add(label, op, *operands, out=onnx_types, **attributes)
        expected |= {f"{label}:{index}" if index else label: array for index, array in enumerate(found)}
    return pieces, expected


def test_what_is_computed() -> None:
    """The quick ones; `test_every_operator` has all."""
    pieces, expected = build("complex64", "ScatterND", "NonZero", "Col2Im")
    actual = compile_model(pieces.model()).run(pieces.inputs)
    assert not differences(actual, expected, TOLERANCE["complex64"])


@pytest.mark.slow
@pytest.mark.parametrize("is_dynamic", [False, True])
@pytest.mark.parametrize("name", TOLERANCE)
def test_every_operator(name: str, is_dynamic: bool) -> None:
    pieces, expected = build(name)
    model = with_named_dims(pieces.model()) if is_dynamic else pieces.model()
    assert not differences(compile_model(model).run(pieces.inputs), expected, TOLERANCE[name])


@pytest.mark.parametrize("reduction", ["max", "min"])
def test_complex_values_have_no_order(reduction: str) -> None:
    pieces, x = Pieces(OPSET), np.zeros(4, np.complex64)
    pieces.add("y", "ScatterElements", x, np.arange(4), x, reduction=reduction)
    with pytest.raises(ModelError, match=f"'reduction' is {reduction}, but complex numbers have no order"):
        compile_model(pieces.model())


def test_casts_from_complex_are_rejected() -> None:
    """No operator of ONNX does, but Cast may be asked to."""
    pieces = Pieces(OPSET)
    pieces.add("y", "Cast", np.zeros(4, np.complex64), out=TensorProto.FLOAT, to=TensorProto.FLOAT)
    with pytest.raises(ModelError, match="complex<f32> is not converted"):
        compile_model(pieces.model())
