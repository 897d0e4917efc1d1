"""Operators that are functions: those that the model defines, and ONNX operators whose schema has a body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

import onnx
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, defs, helper

from mlc.frontends.errors import ModelError
from mlc.frontends.onnx.model_checks import Opsets, plain_domain, read_opsets
from mlc.frontends.onnx.values import OnnxValue, Value

FunctionKey = tuple[str, str, str]


@dataclass(frozen=True)
class FunctionBody:
    """The nodes of a function for one call; attribute references are already replaced."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[NodeProto, ...]
    opsets: Opsets


def model_functions(model: ModelProto) -> dict[FunctionKey, FunctionProto]:
    """Returns the functions that the model defines, by domain, name and overload."""
    return {(plain_domain(f.domain), f.name, f.overload): f for f in model.functions}


def check_calls(functions: Mapping[FunctionKey, FunctionProto], name: str) -> None:
    """Raises ModelError for a function that calls itself, naming the functions of the cycle."""
    try:
        TopologicalSorter(_calls(functions)).prepare()
    except CycleError as error:
        # From the called function to its caller.
        cycle = [function for _, function, _ in reversed(error.args[1])]
        raise ModelError(f"{name}: function '{cycle[0]}' calls itself: {' -> '.join(cycle)}") from None


def expanded_nodes(graph: GraphProto, functions: Mapping[FunctionKey, FunctionProto]) -> int:
    """Returns the number of nodes of a graph with the calls of `functions`, which are acyclic, expanded."""
    sizes: dict[FunctionKey, int] = {}

    def size_of(nodes: Iterable[NodeProto]) -> int:
        return sum(1 + sizes.get(callee, 0) for callee in _callees(nodes))

    # Functions come after those that they call.
    for key in TopologicalSorter(_calls(functions)).static_order():
        sizes[key] = size_of(functions[key].node)
    return size_of(graph.node)


def _calls(functions: Mapping[FunctionKey, FunctionProto]) -> dict[FunctionKey, list[FunctionKey]]:
    """Returns the functions that each function calls."""
    return {
        key: [callee for callee in _callees(body.node) if callee in functions]
        for key, body in functions.items()
    }


def _callees(nodes: Iterable[NodeProto]) -> Iterator[FunctionKey]:
    """Yields the functions that the nodes and those of their subgraphs call."""
    for node in nodes:
        yield plain_domain(node.domain), node.op_type, node.overload
        for attribute in node.attribute:
            yield from _callees(attribute.g.node)


def local_body(function: FunctionProto, node: NodeProto, name: str) -> FunctionBody:
    """Returns the body of a function of the model for a call."""
    attributes = {a.name: a for a in function.attribute_proto} | {a.name: a for a in node.attribute}
    return _body(function, attributes, read_opsets(function.opset_import, name))


def schema_body(node: NodeProto, opsets: Opsets, inputs: Sequence[OnnxValue]) -> FunctionBody | None:
    """Returns the body of an ONNX operator for a call with these inputs, or None if it has none."""
    domain = plain_domain(node.domain)
    opset = opsets.get(domain, 1)
    if not defs.has(node.op_type, opset, domain):
        return None
    schema = defs.get_schema(node.op_type, opset, domain)
    complete = _with_defaults(_read(node, inputs), schema)
    function = _function(schema, complete, opset, inputs)
    if function is None:
        return None
    inner = _plain_opsets(opsets) | {plain_domain(o.domain): o.version for o in function.opset_import}
    return _body(function, {a.name: a for a in complete.attribute}, inner)


def _read(node: NodeProto, inputs: Sequence[OnnxValue]) -> NodeProto:
    """Returns the node without attributes that its operator does not read.

    ONNX's body of Attention treats queries of four dims as of three wherever the node specifies the number of
    heads.
    """
    query = inputs[0] if node.op_type == "Attention" and inputs else None
    if not isinstance(query, Value) or query.rank != 4:
        return node
    read = NodeProto()
    read.CopyFrom(node)
    del read.attribute[:]
    read.attribute.extend(a for a in node.attribute if a.name not in ("q_num_heads", "kv_num_heads"))
    return read


def _plain_opsets(opsets: Opsets) -> Opsets:
    """Returns the caller's opsets; the newest for ONNX's domain where the model imports only other
    domains."""
    return {**opsets, "": opsets[""] if opsets[""] > 1 else defs.onnx_opset_version()}


def _with_defaults(node: NodeProto, schema: defs.OpSchema) -> NodeProto:
    """Returns a copy of the node with the schema's default attributes, which bodies refer to, made
    explicit."""
    complete = NodeProto()
    complete.CopyFrom(node)
    given = {a.name for a in node.attribute}
    complete.attribute.extend(
        a.default_value for name, a in schema.attributes.items() if name not in given and a.default_value.name
    )
    return complete


def _function(
    schema: defs.OpSchema, node: NodeProto, opset: int, inputs: Sequence[OnnxValue]
) -> FunctionProto | None:
    if schema.has_function:
        version = _version(schema.function_opset_versions, opset)
        data = schema.get_function_with_opset_version(version)
    elif schema.has_context_dependent_function:
        version = _version(schema.context_dependent_function_opset_versions, opset)
        types = [_type_proto(v).SerializeToString() for v in inputs]
        data = schema.get_context_dependent_function_with_opset_version(
            version, node.SerializeToString(), types
        )
    else:
        return None
    return FunctionProto.FromString(data) if data else None


def _version(versions: Sequence[int], opset: int) -> int:
    """Returns the newest body that is not newer than the model; else the oldest, which brings its opset
    along."""
    return max((v for v in versions if v <= opset), default=min(versions))


def _type_proto(value: OnnxValue) -> onnx.TypeProto:
    if not isinstance(value, Value):
        return onnx.TypeProto()
    return helper.make_tensor_type_proto(
        value.onnx_type, [d if isinstance(d, int) else None for d in value.shape]
    )


def _body(function: FunctionProto, attributes: dict[str, AttributeProto], opsets: Opsets) -> FunctionBody:
    nodes = tuple(_substitute(node, attributes) for node in function.node)
    return FunctionBody(tuple(function.input), tuple(function.output), nodes, opsets)


def _substitute(node: NodeProto, attributes: dict[str, AttributeProto]) -> NodeProto:
    """Returns the node with references to the function's attributes replaced; absent ones are dropped."""
    result = NodeProto()
    result.CopyFrom(node)
    del result.attribute[:]
    for attribute in node.attribute:
        if not attribute.ref_attr_name:
            result.attribute.append(_in_subgraph(attribute, attributes))
        elif attribute.ref_attr_name in attributes:
            copy = result.attribute.add()
            copy.CopyFrom(attributes[attribute.ref_attr_name])
            copy.name = attribute.name
    return result


def _in_subgraph(attribute: AttributeProto, attributes: dict[str, AttributeProto]) -> AttributeProto:
    if attribute.type != AttributeProto.GRAPH:
        return attribute
    copy = AttributeProto()
    copy.CopyFrom(attribute)
    del copy.g.node[:]
    copy.g.node.extend(_substitute(node, attributes) for node in attribute.g.node)
    return copy
