"""Where the nodes that are imported come from, and what their names stand for.

A graph that is an attribute of a node: a branch, or the body of a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from onnx import GraphProto, NodeProto

from mlc.frontends.onnx.model_checks import Opsets, label
from mlc.frontends.onnx.node import NodeError
from mlc.frontends.onnx.value_types import Kind, kind_of_type
from mlc.frontends.onnx.values import Held, Value


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
            raise NodeError(f"its body takes {len(names)} values instead of {len(inputs)}")
        bound = {name: bound_to(name, value) for name, value in zip(names, inputs, strict=True)}
        found = self.import_graph(self.graph, {**self.scope, **bound}, self.frame)
        if any(each is None or each is MISSING for each in found):
            raise Incomplete
        return found


# What stands for the results of a node that could not be imported: nodes behind it are still looked at.
MISSING = object()
# What names stand for: values of any kind, `MISSING`, or None for what is left out.
Scope = dict[str, Any]
DeclaredShape = tuple[int | None, ...]
# Operators whose result has the shape of their first input.
_SAME_SHAPE = {"Cast", "CastLike", "Identity", "Sqrt", "Log", "Exp", "Abs", "Neg", "Reciprocal", "Relu"}


class Incomplete(Exception):
    """A body has an output that could not be imported, for a reason that is noted."""


@dataclass(frozen=True)
class Frame:
    """Where nodes come from: the graph or a function's body, with the names of the calls around it."""

    opsets: Opsets
    path: tuple[str, ...] = ()
    # What a graph declares of its values' shapes.
    declared: Mapping[str, DeclaredShape] = field(default_factory=dict)
    # A graph's nodes by what they define.
    producers: Mapping[str, NodeProto] = field(default_factory=dict)

    def label(self, node: NodeProto) -> str:
        return "/".join((*self.path, label(node)))

    def inside(self, graph: GraphProto) -> Frame:
        """The frame of a graph's own nodes."""
        producers = {name: node for node in graph.node for name in node.output if name}
        return replace(self, declared=_declared_shapes(graph), producers=producers)


def bound_to(name: str, value: Any) -> Any:
    """`value` as what `name` stands for; it is called so if it has no name yet."""
    if isinstance(value, Value) and not value.name:
        value.name = name
    return value


def _declared_shapes(graph: GraphProto) -> dict[str, DeclaredShape]:
    """The shapes that a graph declares, by name, also of what stands before a cast or a root;
    dims without a number are None."""
    found: dict[str, DeclaredShape] = {}
    for info in (*graph.value_info, *graph.output):
        if info.type.tensor_type.HasField("shape"):
            dims = info.type.tensor_type.shape.dim
            found[info.name] = tuple(each.dim_value if each.HasField("dim_value") else None for each in dims)
    for node in reversed(graph.node):
        if node.op_type in _SAME_SHAPE and node.input and node.output[0] in found:
            found.setdefault(node.input[0], found[node.output[0]])
    return found
