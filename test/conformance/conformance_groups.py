"""Groups cases by category, family of types and control flow, for the rows of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, TypeProto

from mlc.tools.cases.suite import CATEGORIES, SuiteCase

# Group -> names of its cases. Groups overlap.
Groups = dict[str, list[str]]

_CONTROL_FLOW = frozenset({"If", "Loop", "Scan", "SequenceMap"})
_FLOAT8 = frozenset("FLOAT8E4M3FN FLOAT8E4M3FNUZ FLOAT8E5M2 FLOAT8E5M2FNUZ FLOAT8E8M0".split())
_NARROW = _FLOAT8 | {"INT4", "UINT4", "INT2", "UINT2", "FLOAT4E2M1"}
_TYPE_ATTRIBUTES = frozenset({"to", "dtype", "output_dtype", "softmax_precision", "stash_type"})


@dataclass
class _Uses:
    """Operators, their domains, element types and types of values that a model uses."""

    operators: set[str] = field(default_factory=set)
    domains: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    value_types: set[str] = field(default_factory=set)


def group_cases(cases: Iterable[SuiteCase]) -> Groups:
    """The groups in the order of tables; models are read for it."""
    found: Groups = {}
    for case in cases:
        for group in _groups_of(case):
            found.setdefault(group, []).append(case.name)
    order = ["node, the operator", "node, its function body", *CATEGORIES]
    return dict(sorted(found.items(), key=lambda entry: (entry[0] not in order, entry[0])))


def _groups_of(case: SuiteCase) -> Iterator[str]:
    uses = _uses(case.load()[0])
    if case.category == "node":
        yield "node, its function body" if case.expanded else "node, the operator"
    else:
        yield case.category
    yield from (f"operators of {domain}" for domain in sorted(uses.domains) if domain)
    if uses.operators & _CONTROL_FLOW:
        yield "with control flow"
    if uses.value_types - {"tensor_type"}:
        yield "with sequences, optionals, sparse"
    if "STRING" in uses.types:
        yield "with strings"
    if "BFLOAT16" in uses.types:
        yield "with bfloat16"
    if uses.types & _NARROW:
        yield "with types of 8 bits or fewer"


def _uses(model: ModelProto) -> _Uses:
    uses = _Uses()
    for info in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        _note_type(info.type, uses)
    nodes = [node for function in model.functions for node in function.node]
    for graph in _graphs(model.graph):
        nodes += graph.node
        for tensor in graph.initializer:
            uses.types.add(TensorProto.DataType.Name(tensor.data_type))
        if graph.sparse_initializer:
            uses.value_types.add("sparse_tensor_type")
    for node in nodes:
        _note_node(node, uses)
    return uses


def _graphs(graph: GraphProto) -> Iterator[GraphProto]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
                yield from _graphs(inner)


def _note_node(node: NodeProto, uses: _Uses) -> None:
    uses.operators.add(node.op_type)
    uses.domains.add("" if node.domain == "ai.onnx" else node.domain)
    for attribute in node.attribute:
        _note_attribute(attribute, uses)


def _note_attribute(attribute: AttributeProto, uses: _Uses) -> None:
    if attribute.name in _TYPE_ATTRIBUTES and attribute.i > 0:
        uses.types.add(TensorProto.DataType.Name(attribute.i))
    if attribute.HasField("t"):
        uses.types.add(TensorProto.DataType.Name(attribute.t.data_type))
    if attribute.HasField("tp"):
        _note_type(attribute.tp, uses)
    if attribute.HasField("sparse_tensor"):
        uses.value_types.add("sparse_tensor_type")


def _note_type(value_type: TypeProto, uses: _Uses) -> None:
    which = value_type.WhichOneof("value")
    uses.value_types.add(which or "none")
    if which in ("tensor_type", "sparse_tensor_type"):
        uses.types.add(TensorProto.DataType.Name(getattr(value_type, which).elem_type))
    elif which in ("sequence_type", "optional_type"):
        _note_type(getattr(value_type, which).elem_type, uses)
