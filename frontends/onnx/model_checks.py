"""Checks of a model's structure before anything is built: versions, names, order."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence

import onnx
from onnx import GraphProto, ModelProto, NodeProto, checker, defs

from mlc.frontends.errors import ModelError
from mlc.frontends.import_warnings import ImportWarnings

Opsets = dict[str, int]


def check_model(model: ModelProto, name: str, warnings: ImportWarnings) -> Opsets:
    """Returns the opset per domain; drops outputs that are there twice. Raises `ModelError` naming the file
    and the fault."""
    if not model.HasField("graph") or not model.graph.output:
        raise ModelError(f"{name}: not a valid ONNX model: it has no graph with outputs")
    if not 1 <= model.ir_version <= onnx.IR_VERSION:
        raise ModelError(f"{name}: IR version {model.ir_version} is not known (1 to {onnx.IR_VERSION} are)")
    opsets = read_opsets(model.opset_import, name)
    if not model.opset_import and model.ir_version >= 3:
        raise ModelError(f"{name}: the model imports no operator set")
    _drop_repeated_outputs(model.graph, name, warnings)
    return opsets


def _drop_repeated_outputs(graph: GraphProto, name: str, warnings: ImportWarnings) -> None:
    unique = {output.name: output for output in graph.output}
    if len(unique) < len(graph.output):
        for twice in find_repeated(output.name for output in graph.output):
            warnings.add(f"{name}: the output '{twice}' is a duplicate; the program has it once")
        del graph.output[:]
        graph.output.extend(unique.values())


def read_opsets(imports: Sequence[onnx.OperatorSetIdProto], name: str) -> Opsets:
    """Returns the opset per domain; the default domain is "" and has opset 1 if it is not imported.

    Raises `ModelError` for opsets that ONNX does not have.
    """
    opsets: Opsets = {"": 1}
    for entry in imports:
        opsets[plain_domain(entry.domain)] = entry.version
    newest = defs.onnx_opset_version()
    if not 1 <= opsets[""] <= newest:
        raise ModelError(f"{name}: opset {opsets['']} of ONNX's operators is not known (1 to {newest} are)")
    return opsets


def plain_domain(domain: str) -> str:
    """Returns the domain in mlc's spelling: ONNX's is ""."""
    return "" if domain == "ai.onnx" else domain


def sorted_nodes(graph: GraphProto, outer: set[str], name: str) -> list[NodeProto]:
    """Returns the nodes in an order in which values are defined before they are used.

    `outer` are names that the graph may use from around it. Raises `ModelError` for names that are defined
    twice or nowhere and for cycles.
    """
    given = _given_names(graph) | outer
    _check_unique(graph, name)
    producer = {output: i for i, node in enumerate(graph.node) for output in node.output if output}
    waiting: list[int] = []
    users: dict[int, list[int]] = {}
    for i, node in enumerate(graph.node):
        needed = read_names(node)
        missing = [n for n in needed if n not in given and n not in producer]
        if missing:
            raise ModelError(f"{name}: node {describe(node)} uses '{missing[0]}', which nothing defines")
        sources = {producer[n] for n in needed if n in producer}
        waiting.append(len(sources))
        for source in sources:
            users.setdefault(source, []).append(i)
    for output in graph.output:
        if output.name not in given and output.name not in producer:
            raise ModelError(f"{name}: the model's output '{output.name}' is not defined by anything")
    return [graph.node[i] for i in _order(graph, waiting, users, name)]


def _check_unique(graph: GraphProto, name: str) -> None:
    for twice in find_repeated(graph_input.name for graph_input in graph.input):
        raise ModelError(f"{name}: the input '{twice}' is a duplicate")
    defined = _given_names(graph)
    for node in graph.node:
        for output in node.output:
            if output and output in defined:
                raise ModelError(
                    f"{name}: node {describe(node)} defines '{output}', which is defined already"
                )
            defined.add(output)


def find_repeated(names: Iterable[str]) -> list[str]:
    """Returns the names that occur more than once."""
    return [name for name, count in Counter(names).items() if count > 1]


def _given_names(graph: GraphProto) -> set[str]:
    """Returns the names that a graph has without its nodes."""
    sparse = {tensor.values.name for tensor in graph.sparse_initializer}
    return {value.name for value in (*graph.input, *graph.initializer)} | sparse


def read_names(node: NodeProto) -> list[str]:
    """Returns the names that the node reads, including those of its subgraphs."""
    names = [n for n in node.input if n]
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            names += free_names(attribute.g)
    return names


def free_names(graph: GraphProto) -> list[str]:
    """Returns the names that a subgraph uses from the scopes around it."""
    own = _given_names(graph) | {output for node in graph.node for output in node.output}
    used = [n for node in graph.node for n in read_names(node)] + [o.name for o in graph.output]
    return [n for n in used if n not in own]


def _order(graph: GraphProto, waiting: list[int], users: dict[int, list[int]], name: str) -> list[int]:
    """Returns the nodes in topological order (Kahn's algorithm); among ready nodes the model's order
    decides."""
    ready = [i for i, count in enumerate(waiting) if count == 0]
    order: list[int] = []
    while ready:
        i = heapq.heappop(ready)
        order.append(i)
        for user in users.get(i, ()):
            waiting[user] -= 1
            if waiting[user] == 0:
                heapq.heappush(ready, user)
    if len(order) < len(waiting):
        stuck = [describe(graph.node[i]) for i, count in enumerate(waiting) if count > 0]
        raise ModelError(f"{name}: the graph has a cycle through node {stuck[0]}")
    return order


def label(node: NodeProto) -> str:
    """Returns the node's name, or its operator and first output if it has none."""
    return node.name or f"{node.op_type}:{next((o for o in node.output if o), '')}"


def describe(node: NodeProto) -> str:
    """Returns the node as `'name' (operator)`, for messages."""
    return f"'{label(node)}' ({node.op_type})"


def _in_domain(node: NodeProto, domain: str) -> NodeProto:
    """Returns the node with the domain in mlc's spelling, the only one that the checker knows."""
    if node.domain == domain:
        return node
    copy = NodeProto()
    copy.CopyFrom(node)
    copy.domain = domain
    return copy


def check_node(node: NodeProto, opsets: Opsets, ir_version: int) -> str | None:
    """Returns the fault that onnx.checker finds in the node's inputs and attributes, or None."""
    domain = plain_domain(node.domain)
    if domain not in opsets or not defs.has(node.op_type, opsets[domain], domain):
        return None
    # Deprecated operators are refused by the checker, but models hold them.
    if defs.get_schema(node.op_type, opsets[domain], domain).deprecated:
        return None
    # The checker looks for tensors' bytes, which the skeleton lacks, and for subgraphs' outer names.
    if any(a.g.node or a.t.external_data or a.ref_attr_name for a in node.attribute):
        return None
    context = checker.C.CheckerContext()
    context.ir_version = ir_version
    context.opset_imports = opsets
    try:
        checker.check_node(_in_domain(node, domain), context)
    except checker.ValidationError as error:
        return str(error).split("==>")[0].strip().splitlines()[0]
    return None
