"""The model's outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from onnx import TensorProto, ValueInfoProto

from mlc.bindings import ir
from mlc.frontends.errors import ModelError, UnsupportedModelError
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Emitter, Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.runtime_objects import kind_of, packed
from mlc.frontends.onnx.scopes import MISSING
from mlc.frontends.onnx.value_types import (
    Kind,
    KindMismatchError,
    OptionalKind,
    TensorKind,
    joined,
    kind_of_type,
)


@dataclass(frozen=True)
class Output:
    """An output of a model in `file`, and the value that it is."""

    file: str
    info: ValueInfoProto
    value: Any
    emitter: Emitter

    @property
    def kind(self) -> str:
        """What it is unless a tensor of numbers, as a manifest says it."""
        kind = self._kind
        if isinstance(kind, TensorKind):
            return "string" if kind.number == TensorProto.STRING else ""
        return str(kind)

    def result(self) -> ir.Value:
        """The SSA value; its type must be the declared one."""
        if self.value is None or self.value is MISSING:
            name = self.info.name
            raise ModelError(
                f"{self.file}: the node that should define the model's output '{name}' leaves it out"
            )
        self._check()
        try:
            return packed(self._node(), self.value, self._kind).ir
        except UnsupportedNodeError as error:
            raise UnsupportedModelError(f"{self.file}: output '{self.info.name}': {error}") from None
        except NodeError as error:
            raise ModelError(f"{self.file}: output '{self.info.name}': {error}") from None

    @property
    def _kind(self) -> Kind:
        """What the model declares; where it declares nothing, what the value is."""
        return kind_of_type(self.info.type) or kind_of(self.value)

    def _check(self) -> None:
        """Raises ModelError for a value of another type than the declared one."""
        found, declared = _inner(kind_of(self.value)), _inner(self._kind)
        names = str(declared), str(found)
        if isinstance(found, TensorKind) and isinstance(declared, TensorKind):
            if found.number == declared.number:
                return
            names = element_types.type_name(declared.number), element_types.type_name(found.number)
        elif found == OptionalKind(None) or _fit(found, declared):
            return
        raise ModelError(
            f"{self.file}: output '{self.info.name}' is declared as {names[0]}, but is {names[1]}"
        )

    def _node(self) -> Node:
        """Stands for a node that makes the output of a sequence or optional."""
        name, location = self.info.name, ir.Location.name(self.info.name)
        return Node("output", "", 1, name, (), (name,), {}, location, self.emitter)


def _inner(kind: Kind) -> Kind:
    return kind.element if isinstance(kind, OptionalKind) and kind.element else kind


def _fit(one: Kind, other: Kind) -> bool:
    try:
        joined(one, other)
    except KindMismatchError:
        return False
    return True
