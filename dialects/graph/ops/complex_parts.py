"""real, imag and complex: complex numbers taken apart and made of their parts."""

from __future__ import annotations

from mlc.dialects.graph.elements import COMPLEX, PART, part_of
from mlc.dialects.graph.ops.elementwise import FAMILY, unary
from mlc.dialects.graph.shape_rules import broadcast
from mlc.dialects.graph.spec import Call, Operand, OpSpec, Tensor, define


def _part(call: Call) -> Tensor:
    return Tensor(call.x.shape, part_of(call.x.element))


def _complex(call: Call) -> Tensor:
    shape = broadcast(real=call.real.shape, imag=call.imag.shape)
    return Tensor(shape, f"complex<{call.real.element}>")


_SHAPES = "The result has x's shape; its elements are the floats that x's consist of."
_ONNX = "operators on complex numbers"
unary("real", "the real part of complex numbers", _ONNX, elements=COMPLEX, infer=_part, shapes=_SHAPES)
unary("imag", "the imaginary part of complex numbers", _ONNX, elements=COMPLEX, infer=_part, shapes=_SHAPES)
define(
    OpSpec(
        "complex",
        FAMILY,
        "the complex numbers of these parts",
        "real and imag broadcast to the result. Its elements are complex numbers of theirs.",
        (_ONNX,),
        (Operand("real", PART), Operand("imag", PART, like="real")),
        _complex,
    )
)
