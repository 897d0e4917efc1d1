"""Scopes of names: the frame that imported nodes come from, and subgraphs, which are attributes of nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from onnx import GraphProto, NodeProto

from mlc.frontends.onnx.model_checks import Opsets, label
from mlc.frontends.onnx.node import NodeError
from mlc.frontends.onnx.value_types import ValueType, read_value_type
from mlc.frontends.onnx.values import OnnxValue, Value


@dataclass(frozen=True)
class Subgraph:
    """A graph attribute of a node, the branch of an If or the body of a loop: a call imports its nodes at the
    insertion point."""

    import_graph: Callable[[GraphProto, Scope, Frame, Finish | None], list[Any]]
    graph: GraphProto
    scope: Scope
    frame: Frame

    @property
    def input_types(self) -> list[ValueType | None]:
        """The declared types of its inputs."""
        return [read_value_type(graph_input.type) for graph_input in self.graph.input]

    @property
    def output_types(self) -> list[ValueType | None]:
        """The declared types of its outputs."""
        return [read_value_type(graph_output.type) for graph_output in self.graph.output]

    def __call__(self, *inputs: OnnxValue, finish: Finish | None = None) -> list[Any]:
        """Imports the nodes for these inputs and returns the outputs, or what `finish` makes of them. Raises
        `Incomplete` where one could not be imported."""
        names = [graph_input.name for graph_input in self.graph.input]
        if len(names) != len(inputs):
            raise NodeError(f"its body takes {len(names)} values instead of {len(inputs)}")
        bound = {name: bound_to(name, value) for name, value in zip(names, inputs, strict=True)}
        found = self.import_graph(self.graph, {**self.scope, **bound}, self.frame, finish)
        if any(output is None or output is MISSING for output in found):
            raise Incomplete
        return found


# The result of a node that could not be imported; the nodes that use it are still checked.
MISSING = object()
# Names and their values: an `OnnxValue`, `MISSING`, or None for what is left out.
Scope = dict[str, Any]
# Imports what follows a graph, for its outputs; returns the results.
Finish = Callable[[list[Any]], list[Any]]
DeclaredShape = tuple[int | None, ...]
# Operators whose result has the shape of their first input.
_SAME_SHAPE = {"Cast", "CastLike", "Identity", "Sqrt", "Log", "Exp", "Abs", "Neg", "Reciprocal", "Relu"}


class Incomplete(Exception):
    """An output of a body could not be imported, for a reason that is recorded."""


@dataclass(frozen=True)
class Frame:
    """The context of imported nodes: the graph or a function's body, with the names of the enclosing
    calls."""

    opsets: Opsets
    path: tuple[str, ...] = ()
    # The shapes that a graph declares, by value.
    declared: Mapping[str, DeclaredShape] = field(default_factory=dict)
    # A graph's nodes by the values that they define.
    producers: Mapping[str, NodeProto] = field(default_factory=dict)

    def label(self, node: NodeProto) -> str:
        """Returns the node's label with the path of the enclosing calls."""
        return "/".join((*self.path, label(node)))

    def inside(self, graph: GraphProto) -> Frame:
        """Returns the frame of the nodes of a graph."""
        producers = {name: node for node in graph.node for name in node.output if name}
        return replace(self, declared=_declared_shapes(graph), producers=producers)


def bound_to(name: str, value: Any) -> Any:
    """Returns `value`, which is named `name` if it has no name yet."""
    if isinstance(value, Value) and not value.name:
        value.name = name
    return value


def _declared_shapes(graph: GraphProto) -> dict[str, DeclaredShape]:
    """Returns the shapes that a graph declares, by name, also of the operands of operators that keep the
    shape.

    Dims without a value are None.
    """
    found: dict[str, DeclaredShape] = {}
    for info in (*graph.value_info, *graph.output):
        if info.type.tensor_type.HasField("shape"):
            dims = info.type.tensor_type.shape.dim
            found[info.name] = tuple(dim.dim_value if dim.HasField("dim_value") else None for dim in dims)
    for node in reversed(graph.node):
        if node.op_type in _SAME_SHAPE and node.input and node.output and node.output[0] in found:
            found.setdefault(node.input[0], found[node.output[0]])
    return found
