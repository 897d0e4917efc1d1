"""BitCast: the bits of elements as those of another type.

Casts between strings and numbers.
"""

from __future__ import annotations

from onnx import TensorProto

from mlc.dialects.graph.elements import BITS
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.complex_parts import bits, of_bits
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

_STRING, _F64, _I64, _U64 = TensorProto.STRING, TensorProto.DOUBLE, TensorProto.INT64, TensorProto.UINT64

# The significant bits of formats, and the exponents of their least normal numbers; of narrower ones the text
# is that of f32.
_FORMATS: dict[int, tuple[int, int]] = {
    TensorProto.FLOAT16: (11, -14),
    TensorProto.BFLOAT16: (8, -126),
    TensorProto.DOUBLE: (53, -1022),
}

_F32 = (24, -126)

_COMPLEX = (TensorProto.COMPLEX64, TensorProto.COMPLEX128)


def string_cast(node: Node, x: Value, number: int) -> Value:
    """`x` as elements of the ONNX data type `number`; one of the two is a string."""
    if number == x.number:
        return x
    if number in _COMPLEX or x.number in _COMPLEX:
        raise UnsupportedNodeError("casts between strings and complex numbers are not supported")
    return _to_text(node, x) if number == _STRING else _from_text(node, x, number)


def _is_integer(number: int) -> bool:
    return element_types.type_name(number).startswith(("INT", "UINT"))


def _from_text(node: Node, x: Value, number: int) -> Value:
    """Numbers are read as f64 or 64-bit integers first; truth values are numbers that are not 0."""
    if not _is_integer(number):
        read = node.call_runtime("string_to_float", x, number=_F64, shape=x.shape)
        return node.cast(read, number)
    wide = _U64 if number == _U64 else _I64
    return node.cast(node.call_runtime("string_to_integer", x, number=wide, shape=x.shape), number)


def _to_text(node: Node, x: Value) -> Value:
    if x.number == TensorProto.BOOL:
        names = (node.constant(each) for each in node.text_numbers(["True", "False"]))
        return node.numbered(node.emit("where", x, *names))
    if _is_integer(x.number):
        wide = node.cast(x, _U64 if x.number == _U64 else _I64)
        return node.call_runtime("integer_to_string", wide, number=_STRING, shape=x.shape)
    options = _FORMATS.get(x.number, _F32)
    wide = node.cast(x, _F64)
    return node.call_runtime("float_to_string", wide, number=_STRING, shape=x.shape, options=options)


# A truth value has the bits of the u8 0 or 1.
_HELD_IN: dict[int, int] = {TensorProto.BOOL: TensorProto.UINT8, TensorProto.COMPLEX64: TensorProto.UINT64}


@onnx_operator("BitCast", since=26)
def bitcast(node: Node) -> Value:
    x, number = node.input(0), int(node.attr("to"))
    if x.number == number:
        return x
    between = [_HELD_IN.get(each, each) for each in (x.number, number)]
    for each in between:
        if not element_types.is_supported(each) or not BITS.admits(str(element_types.element_type(each))):
            raise UnsupportedNodeError(f"the bits of {element_types.type_name(each)} are not supported")
    whole = bits(node, x) if x.number == TensorProto.COMPLEX64 else node.cast(x, between[0])
    if between[0] != between[1]:
        whole = node.emit("bitcast", whole, result_type=node.type_of(whole.shape, between[1]))
    return of_bits(node, whole) if number == TensorProto.COMPLEX64 else node.cast(whole, number)


@onnx_operator("Cast")
def cast(node: Node) -> Value:
    to = node.attr("to")
    # Opset 1 names the type instead of giving its number.
    number = TensorProto.DataType.Value(to) if isinstance(to, str) else int(to)
    return _checked_cast(node, number)


@onnx_operator("CastLike", since=15)
def cast_like(node: Node) -> Value:
    return _checked_cast(node, node.input(1).number)


def _checked_cast(node: Node, number: int) -> Value:
    mode = node.attr("round_mode", "up")
    if mode not in ("up", "down", "nearest"):
        raise NodeError(f"round_mode must be up, down or nearest, not {mode!r}")
    if number != TensorProto.STRING and node.input(0).number != TensorProto.STRING:
        return node.cast(node.input(0), number, bool(node.attr("saturate", 1)), mode)
    return string_cast(node, node.input(0), number)
