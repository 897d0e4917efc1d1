"""Conversions of elements: `cast` and `bitcast`, and complex numbers from and to their parts."""

from __future__ import annotations

from mlc.dialects.graph.elements import BITS, COMPLEX, PART, element_bytes, part_of
from mlc.dialects.graph.ops.elementwise import FAMILY, unary
from mlc.dialects.graph.shape_rules import broadcast
from mlc.dialects.graph.spec import Attribute, GraphTensor, OpCall, OperandSpec, OpSpec, ShapeError, define


def _part(call: OpCall) -> GraphTensor:
    return GraphTensor(call.x.shape, part_of(call.x.element))


def _complex(call: OpCall) -> GraphTensor:
    shape = broadcast(real=call.real.shape, imag=call.imag.shape)
    return GraphTensor(shape, f"complex<{call.real.element}>")


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
        (OperandSpec("real", PART), OperandSpec("imag", PART, like="real")),
        _complex,
    )
)


def _cast(call: OpCall) -> GraphTensor:
    old, new = call.x.element, call.given.element
    if old != new and (COMPLEX.admits(old) or COMPLEX.admits(new)):
        raise ShapeError("result", f"has elements {new}: {old} is not converted to them")
    return GraphTensor(call.x.shape, new)


define(
    OpSpec(
        "cast",
        FAMILY,
        "x converted to the result's element type: floats to integers truncate, anything to i1 is `x != 0`; "
        "not from and to complex numbers",
        "The result has x's shape; its element type is given.",
        ("Cast", "CastLike"),
        (OperandSpec("x"),),
        _cast,
        (
            Attribute(
                "saturate", "bool", "out-of-range values become the largest one (float8 results only)", True
            ),
            Attribute(
                "round_mode",
                "str",
                "to which neighbour, `up` if absent (f8E8M0FNU results only; others round to nearest)",
                None,
                ("up", "down", "nearest"),
            ),
        ),
        result_given=True,
    )
)


def _bitcast(call: OpCall) -> GraphTensor:
    element = call.given.element
    if not BITS.admits(element):
        raise ShapeError("result", f"has elements {element}, not {BITS.name}")
    if element_bytes(element) != element_bytes(call.x.element):
        raise ShapeError("result", f"has elements {element}, which are not as wide as x's: {call.x}")
    return GraphTensor(call.x.shape, element)


define(
    OpSpec(
        "bitcast",
        FAMILY,
        "the bits of x as elements of another type of the same width",
        "The result has x's shape; its element type is given.",
        ("BitCast",),
        (OperandSpec("x", BITS),),
        _bitcast,
        result_given=True,
    )
)
