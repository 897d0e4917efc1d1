"""Runtime objects: sequences, optionals and maps that exist at run time as ids, and conversions to them.

An optional is a sequence of at most one element; where it holds a sequence, the element is that sequence's
id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.element_types import SEQUENCE
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.value_types import (
    MapSequenceValueType,
    MapValueType,
    OptionalValueType,
    SequenceValueType,
    TensorValueType,
    ValueType,
    ValueTypeMismatchError,
    join_types,
)
from mlc.frontends.onnx.values import (
    Dim,
    Nothing,
    OnnxValue,
    OpenList,
    RunTimeMap,
    RunTimeOptional,
    RunTimeSequence,
    Value,
    ValueList,
)


def value_type_of(held: OnnxValue) -> ValueType:
    """Returns the type of any value of the importer."""
    match held:
        case Value():
            return TensorValueType(
                held.onnx_type, tuple(d if isinstance(d, int) else None for d in held.shape)
            )
        case ValueList():
            element = TensorValueType(held.onnx_type, is_none=True)
            for value in held.values:
                element = _tensors(common_type(element, value_type_of(value)))
            return SequenceValueType(element)
        case RunTimeSequence() | RunTimeOptional() | RunTimeMap() | OpenList():
            return held.value_type
        case Nothing():
            return OptionalValueType(held.element)
        case None:
            return OptionalValueType(None)


def _tensors(value_type: ValueType) -> TensorValueType:
    assert isinstance(value_type, TensorValueType)
    return value_type


def common_type(one: ValueType, other: ValueType) -> ValueType:
    """Returns the type of a value that may be of either type. Raises NodeError."""
    try:
        return join_types(one, other)
    except ValueTypeMismatchError as error:
        raise NodeError(f"its values are of different types: {error}") from None


def with_element(sequence: SequenceValueType, value: Value) -> SequenceValueType:
    """Returns the type of a sequence with one more element."""
    return SequenceValueType(_tensors(common_type(sequence.element, value_type_of(value))))


def sequence_of(value: Value) -> SequenceValueType:
    """Returns the type of a sequence of values like `value`."""
    return SequenceValueType(_tensors(value_type_of(value)))


def empty(node: Node) -> Value:
    """Returns the id of the empty sequence."""
    zero = node.constant(np.asarray(0, np.int64))
    return node.emit("objects", zero, result_type=node.type_of([], SEQUENCE))


def sequence_call(node: Node, function: str, *values: Value, options: Sequence[int] = ()) -> Value:
    """Calls a function of the runtime that makes a sequence; returns the sequence's id."""
    return node.call_runtime(function, *values, onnx_type=SEQUENCE, shape=[], options=options)


def as_sequence(node: Node, held: OnnxValue) -> RunTimeSequence:
    """Returns a sequence, or the one that an optional holds, as a runtime sequence. Raises NodeError."""
    match held:
        case RunTimeSequence():
            return held
        case OpenList():
            return held.whole()
        case ValueList():
            found = empty(node)
            for value in held.values:
                found = sequence_call(node, "sequence_append", found, value)
            value_type = value_type_of(held)
            assert isinstance(value_type, SequenceValueType)
            return RunTimeSequence(found, value_type)
        case RunTimeOptional():
            inside = content(node, held)
            if isinstance(inside, RunTimeSequence):
                return inside
    raise NodeError(f"{'a tensor' if isinstance(held, Value) else 'what it is given'} is no sequence")


def pack(node: Node, held: OnnxValue, value_type: ValueType) -> Value:
    """Returns the id of a value as an object of `value_type`, which includes the value's type; a tensor
    itself.

    Raises NodeError if the value has another type.
    """
    if isinstance(value_type, TensorValueType):
        inside = content(node, held) if isinstance(held, RunTimeOptional) else held
        if isinstance(inside, Value):
            return inside
        raise NodeError("a sequence, or an optional without an element, is no tensor")
    if isinstance(value_type, MapValueType | MapSequenceValueType):
        if isinstance(held, RunTimeMap):
            return held.value
        raise NodeError("a value is no map")
    if isinstance(value_type, SequenceValueType):
        return as_sequence(node, held).value
    if isinstance(held, RunTimeOptional):
        return held.value
    if held is None or isinstance(held, Nothing):
        return empty(node)
    inside = held if isinstance(held, Value) else as_sequence(node, held).value
    return sequence_call(node, "sequence_append", empty(node), inside)


def unpack(value: Value, value_type: ValueType) -> OnnxValue:
    """Returns the object of type `value_type` that the id `value` stands for; a tensor itself."""
    match value_type:
        case SequenceValueType():
            return RunTimeSequence(value, value_type)
        case OptionalValueType():
            return RunTimeOptional(value, value_type)
        case MapValueType() | MapSequenceValueType():
            return RunTimeMap(value, value_type)
        case TensorValueType():
            return value


def content(node: Node, optional: RunTimeOptional) -> Value | RunTimeSequence:
    """Returns the element of an optional; the call fails at run time where there is none.

    Raises UnsupportedNodeError if the element's type is unknown.
    """
    element, first = optional.value_type.element, node.constant(np.asarray(0, np.int64))
    if element is None:
        raise UnsupportedNodeError("the type of its optional's element is unknown")
    if isinstance(element, TensorValueType):
        return element_at(node, optional.value, first, element)
    values = optional.value, first, node.sizes([])
    found = node.call_runtime("sequence_at", *values, onnx_type=SEQUENCE, shape=[])
    return RunTimeSequence(found, element)


def element_at(node: Node, sequence: Value, index: Value, value_type: TensorValueType) -> Value:
    """Returns the element at `index`, an i64 scalar, which counts from the end if it is negative."""
    shape = known_shape(node, value_type)
    options = [memory_type(value_type.onnx_type)]

    def read() -> Value:
        """Reads all sizes of the element."""
        return node.call_runtime(
            "sequence_dims", sequence, index, onnx_type=TensorProto.INT64, shape=[len(shape)], options=options
        )

    dims = complete_shape(node, shape, read)
    values = sequence, index, node.sizes(dims)
    return node.call_runtime("sequence_at", *values, onnx_type=value_type.onnx_type, shape=dims)


def complete_shape(node: Node, shape: Sequence[int | None], read: Callable[[], Value]) -> list[Dim]:
    """Returns the shape with its unknown dims taken from a vector of all sizes, which `read` builds."""
    known = [dim for dim in shape if dim is not None]
    if len(known) == len(shape):
        return list(known)
    return [one if own is None else own for own, one in zip(shape, node.read_dims(read()), strict=True)]


def known_shape(node: Node, value_type: TensorValueType, more: int = 0) -> tuple[int | None, ...]:
    """Returns the shape of a sequence's elements as far as it is known.

    Where their rank is not, it is that of the node's first output less `more`. Raises UnsupportedNodeError.
    """
    declared = node.declared[0] if node.declared else None
    if value_type.shape is not None:
        return value_type.shape
    if declared is None:
        raise UnsupportedNodeError(
            "the rank of the elements of its sequence is unknown: give the type of the sequence a shape,"
            " or declare the shape of the node's output"
        )
    return (None,) * (len(declared) - more)


def memory_type(onnx_type: int) -> int:
    """Returns the data type of elements in memory: objects are stored as ids, of i64."""
    return TensorProto.INT64 if onnx_type in (TensorProto.STRING, SEQUENCE) else onnx_type
