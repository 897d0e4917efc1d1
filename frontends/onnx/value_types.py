"""Types of values at import: tensors, sequences, optionals, maps, and how types are joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from onnx import TensorProto, TypeProto

from mlc.frontends.onnx import element_types


class ValueTypeMismatchError(Exception):
    """Two types have no common type; the message names both."""


@dataclass(frozen=True)
class TensorValueType:
    """The type of tensors of an ONNX data type.

    `shape` is what all of them have in common: None where the rank differs, with None for a dim that differs.
    `is_none`: there is no such tensor so far, so that nothing is known of shapes.
    """

    onnx_type: int
    shape: tuple[int | None, ...] | None = None
    is_none: bool = False

    def __str__(self) -> str:
        return (
            "string"
            if self.onnx_type == TensorProto.STRING
            else str(element_types.numpy_dtype(self.onnx_type))
        )


@dataclass(frozen=True)
class SequenceValueType:
    """The type of sequences of tensors."""

    element: TensorValueType

    def __str__(self) -> str:
        return f"sequence({self.element})"


@dataclass(frozen=True)
class OptionalValueType:
    """The type of optionals of tensors or sequences; `element` is None where it is unknown."""

    element: TensorValueType | SequenceValueType | None

    def __str__(self) -> str:
        return f"optional({self.element})" if self.element else "an optional without an element"


@dataclass(frozen=True)
class MapValueType:
    """The type of maps from integers or strings to numeric values or strings, by ONNX data types.

    At run time a map is a sequence of two vectors: its keys and their values.
    """

    key: int
    value: int

    def __str__(self) -> str:
        return f"map({TensorValueType(self.key)},{TensorValueType(self.value)})"


@dataclass(frozen=True)
class MapSequenceValueType:
    """The type of sequences of maps."""

    element: MapValueType

    def __str__(self) -> str:
        return f"sequence({self.element})"


ValueType = TensorValueType | SequenceValueType | OptionalValueType | MapValueType | MapSequenceValueType


def join_types(one: ValueType, other: ValueType) -> ValueType:
    """Returns the type of a value that may be of either type; an optional may be its element.

    Raises ValueTypeMismatchError.
    """
    if isinstance(one, MapValueType | MapSequenceValueType) and one == other:
        return one
    if isinstance(one, OptionalValueType) or isinstance(other, OptionalValueType):
        first, second = (
            value_type.element if isinstance(value_type, OptionalValueType) else value_type
            for value_type in (one, other)
        )
        both = join_types(first, second) if first is not None and second is not None else first or second
        if isinstance(both, MapValueType | MapSequenceValueType):
            raise ValueTypeMismatchError(f"{one} and {other}")
        assert not isinstance(both, OptionalValueType)
        return OptionalValueType(both)
    if isinstance(one, SequenceValueType) and isinstance(other, SequenceValueType):
        return SequenceValueType(join_tensor_types(one.element, other.element))
    if isinstance(one, TensorValueType) and isinstance(other, TensorValueType):
        return join_tensor_types(one, other)
    raise ValueTypeMismatchError(f"{_describe(one)} and {_describe(other)}")


def _describe(value_type: ValueType) -> str:
    return f"a tensor of {value_type}" if isinstance(value_type, TensorValueType) else str(value_type)


def join_tensor_types(one: TensorValueType, other: TensorValueType) -> TensorValueType:
    """Returns the type of a tensor that may be of either type. Raises ValueTypeMismatchError."""
    if one.onnx_type != other.onnx_type:
        raise ValueTypeMismatchError(f"{one} and {other}")
    if one.is_none or other.is_none:
        return other if one.is_none else one
    if one.shape is None or other.shape is None or len(one.shape) != len(other.shape):
        return TensorValueType(one.onnx_type)
    return TensorValueType(
        one.onnx_type, tuple(a if a == b else None for a, b in zip(one.shape, other.shape, strict=True))
    )


def read_value_type(proto: TypeProto, dims: Mapping[str, int] | None = None) -> ValueType | None:
    """Returns the type that a TypeProto declares, with the sizes `dims` for dims of these names.

    None if it is none of tensors, sequences of tensors, optionals of these, maps to tensors' elements, and
    sequences of maps.
    """
    match proto.WhichOneof("value"):
        case "tensor_type" if element_types.is_supported(proto.tensor_type.elem_type):
            return TensorValueType(proto.tensor_type.elem_type, _shape(proto.tensor_type, dims or {}))
        case "sequence_type":
            element = read_value_type(proto.sequence_type.elem_type, dims)
            if isinstance(element, MapValueType):
                return MapSequenceValueType(element)
            return SequenceValueType(element) if isinstance(element, TensorValueType) else None
        case "map_type":
            value = read_value_type(proto.map_type.value_type)
            return (
                MapValueType(proto.map_type.key_type, value.onnx_type)
                if isinstance(value, TensorValueType)
                else None
            )
        case "optional_type":
            element = read_value_type(proto.optional_type.elem_type, dims)
            return (
                OptionalValueType(element)
                if isinstance(element, TensorValueType | SequenceValueType)
                else None
            )
        case _:
            return None


def _shape(proto: TypeProto.Tensor, dims: Mapping[str, int]) -> tuple[int | None, ...] | None:
    if not proto.HasField("shape"):
        return None
    return tuple(
        dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else dims.get(dim.dim_param)
        for dim in proto.shape.dim
    )
