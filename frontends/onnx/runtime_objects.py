"""Sequences and optionals of a running call, and how those that the importer holds become such.

An optional is a sequence of at most one element; where it holds a sequence, that is a number itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.element_types import SEQUENCE
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.value_types import (
    Kind,
    KindMismatchError,
    MapKind,
    MapsKind,
    OptionalKind,
    SequenceKind,
    TensorKind,
    joined,
)
from mlc.frontends.onnx.values import (
    Dim,
    Held,
    Nothing,
    OpenList,
    RunTimeMap,
    RunTimeOptional,
    RunTimeSequence,
    Value,
    ValueList,
)


def kind_of(held: Held) -> Kind:
    """What is known of a value, whatever it is."""
    match held:
        case Value():
            return TensorKind(held.number, tuple(d if isinstance(d, int) else None for d in held.shape))
        case ValueList():
            element = TensorKind(held.number, is_none=True)
            for value in held.values:
                element = _tensors(joined_kinds(element, kind_of(value)))
            return SequenceKind(element)
        case RunTimeSequence() | RunTimeOptional() | RunTimeMap() | OpenList():
            return held.kind
        case Nothing():
            return OptionalKind(held.element)
        case None:
            return OptionalKind(None)


def _tensors(kind: Kind) -> TensorKind:
    assert isinstance(kind, TensorKind)
    return kind


def joined_kinds(one: Kind, other: Kind) -> Kind:
    """The kind of what may be of either. Raises NodeError."""
    try:
        return joined(one, other)
    except KindMismatchError as error:
        raise NodeError(f"its values are of different types: {error}") from None


def with_element(sequence: SequenceKind, value: Value) -> SequenceKind:
    """The kind of a sequence with one more element."""
    return SequenceKind(_tensors(joined_kinds(sequence.element, kind_of(value))))


def sequence_of(value: Value) -> SequenceKind:
    """The kind of a sequence of values like one."""
    return SequenceKind(_tensors(kind_of(value)))


def empty(node: Node) -> Value:
    """The number of the empty sequence."""
    zero = node.constant(np.asarray(0, np.int64))
    return node.emit("objects", zero, result_type=node.type_of([], SEQUENCE))


def sequence_call(node: Node, function: str, *values: Value, options: Sequence[int] = ()) -> Value:
    """What a function of the runtime gives that makes a sequence."""
    return node.call_runtime(function, *values, number=SEQUENCE, shape=[], options=options)


def as_sequence(node: Node, held: Held) -> RunTimeSequence:
    """Any sequence as one of the running call; an optional is what it holds."""
    match held:
        case RunTimeSequence():
            return held
        case OpenList():
            return held.whole()
        case ValueList():
            found = empty(node)
            for value in held.values:
                found = sequence_call(node, "sequence_append", found, value)
            kind = kind_of(held)
            assert isinstance(kind, SequenceKind)
            return RunTimeSequence(found, kind)
        case RunTimeOptional():
            inside = content(node, held)
            if isinstance(inside, RunTimeSequence):
                return inside
    raise NodeError(f"{'a tensor' if isinstance(held, Value) else 'what it is given'} is no sequence")


def packed(node: Node, held: Held, kind: Kind) -> Value:
    """The number of a value as a sequence or optional of a kind, which includes the value's; itself if that
    is a tensor's."""
    if isinstance(kind, TensorKind):
        inside = content(node, held) if isinstance(held, RunTimeOptional) else held
        if isinstance(inside, Value):
            return inside
        raise NodeError("a sequence, or an optional without an element, is no tensor")
    if isinstance(kind, MapKind | MapsKind):
        if isinstance(held, RunTimeMap):
            return held.value
        raise NodeError("a value is no map")
    if isinstance(kind, SequenceKind):
        return as_sequence(node, held).value
    if isinstance(held, RunTimeOptional):
        return held.value
    if held is None or isinstance(held, Nothing):
        return empty(node)
    inside = held if isinstance(held, Value) else as_sequence(node, held).value
    return sequence_call(node, "sequence_append", empty(node), inside)


def unpacked(value: Value, kind: Kind) -> Held:
    """What a number stands for."""
    match kind:
        case SequenceKind():
            return RunTimeSequence(value, kind)
        case OptionalKind():
            return RunTimeOptional(value, kind)
        case MapKind() | MapsKind():
            return RunTimeMap(value, kind)
        case TensorKind():
            return value


def content(node: Node, optional: RunTimeOptional) -> Value | RunTimeSequence:
    """What an optional holds; the call fails where that is nothing."""
    element, first = optional.kind.element, node.constant(np.asarray(0, np.int64))
    if element is None:
        raise UnsupportedNodeError("nothing tells what its optional holds")
    if isinstance(element, TensorKind):
        return element_at(node, optional.value, first, element)
    values = optional.value, first, node.sizes([])
    found = node.call_runtime("sequence_at", *values, number=SEQUENCE, shape=[])
    return RunTimeSequence(found, element)


def element_at(node: Node, sequence: Value, place: Value, kind: TensorKind) -> Value:
    """The element at a place, an i64 scalar, which counts from the end if it is negative."""
    shape = told_shape(node, kind)
    options = [memory_number(kind.number)]

    def read() -> Value:
        return node.call_runtime(
            "sequence_dims", sequence, place, number=TensorProto.INT64, shape=[len(shape)], options=options
        )

    dims = completed(node, shape, read)
    values = sequence, place, node.sizes(dims)
    return node.call_runtime("sequence_at", *values, number=kind.number, shape=dims)


def completed(node: Node, shape: Sequence[int | None], read: Callable[[], Value]) -> list[Dim]:
    """The shape, with what is not known of it from a vector of all sizes, which `read` makes."""
    known = [dim for dim in shape if dim is not None]
    if len(known) == len(shape):
        return list(known)
    return [one if own is None else own for own, one in zip(shape, node.read_dims(read()), strict=True)]


def told_shape(node: Node, kind: TensorKind, more: int = 0) -> tuple[int | None, ...]:
    """The shape of elements as far as it is known; where their rank is not, the node's first output, of
    `more` dims, is asked. Raises UnsupportedNodeError."""
    declared = node.declared[0] if node.declared else None
    if kind.shape is not None:
        return kind.shape
    if declared is None:
        raise UnsupportedNodeError(
            "nothing tells the rank of the elements of its sequence: give the type of the sequence a shape,"
            " or declare the shape of the node's output"
        )
    return (None,) * (len(declared) - more)


def memory_number(number: int) -> int:
    """The data type that elements have in memory: strings are numbers there."""
    return TensorProto.INT64 if number in (TensorProto.STRING, SEQUENCE) else number
