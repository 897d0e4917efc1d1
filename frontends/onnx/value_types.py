"""What is known of sequences and optionals before they are there: which elements they have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from onnx import TensorProto, TypeProto

from mlc.frontends.onnx import element_types


class KindMismatchError(Exception):
    """Values of which one cannot take the other's place; the message names both."""


@dataclass(frozen=True)
class TensorKind:
    """Tensors of an ONNX data type. `shape`: what all have in common, None where the rank is not; a dim that
    is not is None. `is_none`: there is none so far, so that nothing is known of shapes."""

    number: int
    shape: tuple[int | None, ...] | None = None
    is_none: bool = False

    def __str__(self) -> str:
        return "string" if self.number == TensorProto.STRING else str(element_types.numpy_dtype(self.number))


@dataclass(frozen=True)
class SequenceKind:
    """Sequences of tensors."""

    element: TensorKind

    def __str__(self) -> str:
        return f"sequence({self.element})"


@dataclass(frozen=True)
class OptionalKind:
    """Optionals of tensors or sequences; `element` is None where nothing tells which."""

    element: TensorKind | SequenceKind | None

    def __str__(self) -> str:
        return f"optional({self.element})" if self.element else "an optional without an element"


@dataclass(frozen=True)
class MapKind:
    """Maps from integers or strings to numbers or strings, by ONNX data types; in a running call one is a
    sequence of two vectors, its keys and their values."""

    key: int
    value: int

    def __str__(self) -> str:
        return f"map({TensorKind(self.key)},{TensorKind(self.value)})"


@dataclass(frozen=True)
class MapsKind:
    """Sequences of maps."""

    element: MapKind

    def __str__(self) -> str:
        return f"sequence({self.element})"


Kind = TensorKind | SequenceKind | OptionalKind | MapKind | MapsKind


def joined(one: Kind, other: Kind) -> Kind:
    """The kind of what may be of either kind; an optional may be what it holds. Raises KindMismatchError."""
    if isinstance(one, MapKind | MapsKind) and one == other:
        return one
    if isinstance(one, OptionalKind) or isinstance(other, OptionalKind):
        first, second = (each.element if isinstance(each, OptionalKind) else each for each in (one, other))
        both = joined(first, second) if first is not None and second is not None else first or second
        if isinstance(both, MapKind | MapsKind):
            raise KindMismatchError(f"{one} and {other}")
        assert not isinstance(both, OptionalKind)
        return OptionalKind(both)
    if isinstance(one, SequenceKind) and isinstance(other, SequenceKind):
        return SequenceKind(joined_tensors(one.element, other.element))
    if isinstance(one, TensorKind) and isinstance(other, TensorKind):
        return joined_tensors(one, other)
    raise KindMismatchError(f"{_described(one)} and {_described(other)}")


def _described(kind: Kind) -> str:
    return f"a tensor of {kind}" if isinstance(kind, TensorKind) else str(kind)


def joined_tensors(one: TensorKind, other: TensorKind) -> TensorKind:
    """The same of tensors."""
    if one.number != other.number:
        raise KindMismatchError(f"{one} and {other}")
    if one.is_none or other.is_none:
        return other if one.is_none else one
    if one.shape is None or other.shape is None or len(one.shape) != len(other.shape):
        return TensorKind(one.number)
    return TensorKind(
        one.number, tuple(a if a == b else None for a, b in zip(one.shape, other.shape, strict=True))
    )


def kind_of_type(kind: TypeProto, dims: Mapping[str, int] | None = None) -> Kind | None:
    """What a type of ONNX says, with `dims` put in for dims of these names; None if it is none of tensors,
    sequences of tensors, optionals of these, maps to tensors' elements, and sequences of maps."""
    match kind.WhichOneof("value"):
        case "tensor_type" if element_types.is_supported(kind.tensor_type.elem_type):
            return TensorKind(kind.tensor_type.elem_type, _shape(kind.tensor_type, dims or {}))
        case "sequence_type":
            element = kind_of_type(kind.sequence_type.elem_type, dims)
            if isinstance(element, MapKind):
                return MapsKind(element)
            return SequenceKind(element) if isinstance(element, TensorKind) else None
        case "map_type":
            value = kind_of_type(kind.map_type.value_type)
            return MapKind(kind.map_type.key_type, value.number) if isinstance(value, TensorKind) else None
        case "optional_type":
            element = kind_of_type(kind.optional_type.elem_type, dims)
            return OptionalKind(element) if isinstance(element, TensorKind | SequenceKind) else None
        case _:
            return None


def _shape(kind: TypeProto.Tensor, dims: Mapping[str, int]) -> tuple[int | None, ...] | None:
    if not kind.HasField("shape"):
        return None
    return tuple(
        each.dim_value if each.HasField("dim_value") and each.dim_value >= 0 else dims.get(each.dim_param)
        for each in kind.shape.dim
    )
