"""BitCast: the bits of elements as those of another type."""

from __future__ import annotations

from onnx import TensorProto

from mlc.dialects.graph.elements import BITS
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, Unsupported
from mlc.frontends.onnx.operators.common.complex_parts import bits, of_bits
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

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
            raise Unsupported(f"the bits of {element_types.type_name(each)} are not supported")
    whole = bits(node, x) if x.number == TensorProto.COMPLEX64 else node.cast(x, between[0])
    if between[0] != between[1]:
        whole = node.emit("bitcast", whole, result_type=node.type_of(whole.shape, between[1]))
    return of_bits(node, whole) if number == TensorProto.COMPLEX64 else node.cast(whole, number)
