"""Cast, CastLike and BitCast, including casts between strings and numeric types."""

from __future__ import annotations

from onnx import TensorProto

from mlc.dialects.graph.elements import BITS
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.complex_parts import bits, of_bits
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

_STRING, _F64, _I64, _U64 = TensorProto.STRING, TensorProto.DOUBLE, TensorProto.INT64, TensorProto.UINT64

# The significant bits of formats, and the exponents of their least normal values; narrower formats have the
# text of f32.
_FORMATS: dict[int, tuple[int, int]] = {
    TensorProto.FLOAT16: (11, -14),
    TensorProto.BFLOAT16: (8, -126),
    TensorProto.DOUBLE: (53, -1022),
}

_F32 = (24, -126)

_COMPLEX = (TensorProto.COMPLEX64, TensorProto.COMPLEX128)


def string_cast(node: Node, x: Value, onnx_type: int) -> Value:
    """Returns `x` as elements of the ONNX data type `onnx_type`; one of the two is a string.

    Raises UnsupportedNodeError for complex types.
    """
    if onnx_type == x.onnx_type:
        return x
    if onnx_type in _COMPLEX or x.onnx_type in _COMPLEX:
        raise UnsupportedNodeError("casts between strings and complex numbers are not supported")
    return _to_text(node, x) if onnx_type == _STRING else _from_text(node, x, onnx_type)


def _is_integer(onnx_type: int) -> bool:
    return element_types.type_name(onnx_type).startswith(("INT", "UINT"))


def _from_text(node: Node, x: Value, onnx_type: int) -> Value:
    """Parses strings as f64 or 64-bit integers first; booleans are values that are not 0."""
    if not _is_integer(onnx_type):
        read = node.call_runtime("string_to_float", x, onnx_type=_F64, shape=x.shape)
        return node.cast(read, onnx_type)
    wide = _U64 if onnx_type == _U64 else _I64
    return node.cast(node.call_runtime("string_to_integer", x, onnx_type=wide, shape=x.shape), onnx_type)


def _to_text(node: Node, x: Value) -> Value:
    if x.onnx_type == TensorProto.BOOL:
        names = (node.constant(string_id) for string_id in node.string_ids(["True", "False"]))
        return node.strings_of(node.emit("where", x, *names))
    if _is_integer(x.onnx_type):
        wide = node.cast(x, _U64 if x.onnx_type == _U64 else _I64)
        return node.call_runtime("integer_to_string", wide, onnx_type=_STRING, shape=x.shape)
    options = _FORMATS.get(x.onnx_type, _F32)
    wide = node.cast(x, _F64)
    return node.call_runtime("float_to_string", wide, onnx_type=_STRING, shape=x.shape, options=options)


# A boolean has the bits of the u8 0 or 1.
_BITS_TYPE: dict[int, int] = {TensorProto.BOOL: TensorProto.UINT8, TensorProto.COMPLEX64: TensorProto.UINT64}


@onnx_operator("BitCast", since=26)
def bitcast(node: Node) -> Value:
    """Imports BitCast. Raises UnsupportedNodeError for types without known bits."""
    x, onnx_type = node.input(0), int(node.attr("to"))
    if x.onnx_type == onnx_type:
        return x
    between = [_BITS_TYPE.get(data_type, data_type) for data_type in (x.onnx_type, onnx_type)]
    for data_type in between:
        if not element_types.is_supported(data_type) or not BITS.admits(
            str(element_types.element_type(data_type))
        ):
            raise UnsupportedNodeError(f"the bits of {element_types.type_name(data_type)} are not supported")
    whole = bits(node, x) if x.onnx_type == TensorProto.COMPLEX64 else node.cast(x, between[0])
    if between[0] != between[1]:
        whole = node.emit("bitcast", whole, result_type=node.type_of(whole.shape, between[1]))
    return of_bits(node, whole) if onnx_type == TensorProto.COMPLEX64 else node.cast(whole, onnx_type)


@onnx_operator("Cast")
def cast(node: Node) -> Value:
    """Imports Cast."""
    to = node.attr("to")
    # In opset 1 the attribute is the type's name.
    onnx_type = TensorProto.DataType.Value(to) if isinstance(to, str) else int(to)
    return _checked_cast(node, onnx_type)


@onnx_operator("CastLike", since=15)
def cast_like(node: Node) -> Value:
    """Imports CastLike."""
    return _checked_cast(node, node.input(1).onnx_type)


def _checked_cast(node: Node, onnx_type: int) -> Value:
    mode = node.attr("round_mode", "up")
    if mode not in ("up", "down", "nearest"):
        raise NodeError(f"round_mode must be up, down or nearest, not {mode!r}")
    if onnx_type != TensorProto.STRING and node.input(0).onnx_type != TensorProto.STRING:
        return node.cast(node.input(0), onnx_type, bool(node.attr("saturate", 1)), mode)
    return string_cast(node, node.input(0), onnx_type)
