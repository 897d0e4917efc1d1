"""A graph that is an attribute of a node: a branch, or the body of a loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from onnx import GraphProto

from mlc.frontends.onnx.node import NodeFailure
from mlc.frontends.onnx.scopes import MISSING, Frame, Incomplete, Scope, bound_to
from mlc.frontends.onnx.value_types import Kind, kind_of_type
from mlc.frontends.onnx.values import Held


@dataclass(frozen=True)
class Subgraph:
    """A graph attribute of a node: a call imports its nodes at the insertion point."""

    import_graph: Callable[[GraphProto, Scope, Frame], list[Any]]
    graph: GraphProto
    scope: Scope
    frame: Frame

    @property
    def input_kinds(self) -> list[Kind | None]:
        """What the types of its inputs say."""
        return [kind_of_type(each.type) for each in self.graph.input]

    @property
    def output_kinds(self) -> list[Kind | None]:
        """What the types of its outputs say."""
        return [kind_of_type(each.type) for each in self.graph.output]

    def __call__(self, *inputs: Held) -> list[Any]:
        """The outputs for these inputs. Raises `Incomplete` where one could not be imported."""
        names = [each.name for each in self.graph.input]
        if len(names) != len(inputs):
            raise NodeFailure(f"its body takes {len(names)} values instead of {len(inputs)}")
        bound = {name: bound_to(name, value) for name, value in zip(names, inputs, strict=True)}
        found = self.import_graph(self.graph, {**self.scope, **bound}, self.frame)
        if any(each is None or each is MISSING for each in found):
            raise Incomplete
        return found
