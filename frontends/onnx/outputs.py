"""The outputs of a model: their types and SSA values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from onnx import TensorProto, ValueInfoProto

from mlc.bindings import ir
from mlc.frontends.errors import ModelError, UnsupportedModelError
from mlc.frontends.import_warnings import ImportWarnings
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import GraphEmitter, Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.runtime_objects import pack, value_type_of
from mlc.frontends.onnx.scopes import MISSING
from mlc.frontends.onnx.value_types import (
    OptionalValueType,
    TensorValueType,
    ValueType,
    ValueTypeMismatchError,
    join_types,
    read_value_type,
)


@dataclass(frozen=True)
class Output:
    """An output of a model in `file`, and its value."""

    file: str
    info: ValueInfoProto
    value: Any
    emitter: GraphEmitter

    @property
    def object_type(self) -> str:
        """The type in a manifest unless it is a numeric tensor: "string", "sequence(float32)"."""
        value_type = self._value_type
        if isinstance(value_type, TensorValueType):
            return "string" if value_type.onnx_type == TensorProto.STRING else ""
        return str(value_type)

    def result(self, warnings: ImportWarnings) -> ir.Value:
        """Returns the SSA value; warns if its shape is not the declared one. Raises ModelError unless its
        elements are."""
        if self.value is None or self.value is MISSING:
            name = self.info.name
            raise ModelError(
                f"{self.file}: the node that should define the model's output '{name}' leaves it out"
            )
        self._check(warnings)
        try:
            return pack(self._node(), self.value, self._value_type).ir
        except UnsupportedNodeError as error:
            raise UnsupportedModelError(f"{self.file}: output '{self.info.name}': {error}") from None
        except NodeError as error:
            raise ModelError(f"{self.file}: output '{self.info.name}': {error}") from None

    @property
    def _value_type(self) -> ValueType:
        """The type that the model declares, or that of the value where it declares none."""
        return read_value_type(self.info.type) or value_type_of(self.value)

    def _check(self, warnings: ImportWarnings) -> None:
        """Raises ModelError for a value of another type than the declared one."""
        found, declared = _inner(value_type_of(self.value)), _inner(self._value_type)
        names = str(declared), str(found)
        if isinstance(found, TensorValueType) and isinstance(declared, TensorValueType):
            if found.onnx_type == declared.onnx_type:
                self._check_shape(found, declared, warnings)
                return
            names = element_types.type_name(declared.onnx_type), element_types.type_name(found.onnx_type)
        elif found == OptionalValueType(None) or _fit(found, declared):
            return
        raise ModelError(
            f"{self.file}: output '{self.info.name}' is declared as {names[0]}, but is {names[1]}"
        )

    def _check_shape(
        self, found: TensorValueType, declared: TensorValueType, warnings: ImportWarnings
    ) -> None:
        """Warns if the value cannot have the declared shape."""
        if found.shape is None or declared.shape is None:
            return
        pairs = zip(found.shape, declared.shape, strict=False)
        differ = any(None not in pair and pair[0] != pair[1] for pair in pairs)
        if differ or len(found.shape) != len(declared.shape):
            where = f"{self.file}: output '{self.info.name}'"
            shapes = _shape_text(declared.shape), _shape_text(found.shape)
            warnings.add(f"{where} is declared with the shape {shapes[0]}, but has {shapes[1]}")

    def _node(self) -> Node:
        """Returns a stand-in for a node that makes the output of a sequence or optional."""
        name, location = self.info.name, ir.Location.name(self.info.name)
        return Node("output", "", 1, name, (), (name,), {}, location, self.emitter)


def _shape_text(shape: Sequence[int | None]) -> str:
    return f"[{', '.join('?' if dim is None else str(dim) for dim in shape)}]"


def _inner(value_type: ValueType) -> ValueType:
    return (
        value_type.element if isinstance(value_type, OptionalValueType) and value_type.element else value_type
    )


def _fit(one: ValueType, other: ValueType) -> bool:
    try:
        join_types(one, other)
    except ValueTypeMismatchError:
        return False
    return True
