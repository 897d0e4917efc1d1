"""The column of docs/operators.md about element types."""

from __future__ import annotations

import pytest

from mlc.tools.references.onnx_operators import element_types


@pytest.mark.parametrize(
    ("domain", "name", "opset", "types"),
    [
        ("", "Sin", 22, "floats"),
        ("", "Sin", 7, "f16, f32, f64"),
        ("", "Where", 16, "floats, ints, complex, bool, string"),  # those of X and Y, not of the condition
        ("", "Shape", 13, "floats, ints, complex, bool, string"),  # those of the operand, not of the result
        ("", "QuantizeLinear", 28, "small ints, f8, f6, f4, i16, i8, ui16, ui8"),
        ("", "NonZero", 13, "floats, ints, complex, bool, string"),
        ("", "SequenceAt", 11, "ints, complex, bool, f16, f32, f64, string"),
        ("ai.onnx.ml", "CastMap", 1, "f32, i64, string"),
        ("com.microsoft", "Gelu", 1, ""),
    ],
)
def test_types(domain: str, name: str, opset: int, types: str) -> None:
    assert element_types(domain, name, opset) == types
