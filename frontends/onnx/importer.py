"""The importer: walks an ONNX graph and builds the ops of the `graph` dialect."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import onnx
from onnx import AttributeProto, GraphProto, NodeProto, SparseTensorProto, TensorProto

from mlc.bindings import ir
from mlc.frontends.errors import ModelError
from mlc.frontends.import_warnings import ImportWarnings
from mlc.frontends.onnx.builder import GraphBuilder
from mlc.frontends.onnx.functions import (
    FunctionBody,
    check_calls,
    expanded_nodes,
    local_body,
    model_functions,
    schema_body,
)
from mlc.frontends.onnx.import_budget import BudgetError
from mlc.frontends.onnx.load import LoadedModel
from mlc.frontends.onnx.model_checks import check_node, find_repeated, label, plain_domain, sorted_nodes
from mlc.frontends.onnx.node import (
    FailedNodeError,
    Node,
    NodeError,
    TakesBody,
    UnlikeBranchesError,
    UnsupportedNodeError,
)
from mlc.frontends.onnx.problem_report import UnsupportedNode
from mlc.frontends.onnx.registry import lookup
from mlc.frontends.onnx.scopes import MISSING, Finish, Frame, Incomplete, Scope, Subgraph, bound_to
from mlc.frontends.onnx.values import OnnxValue, Value

# Imports a node and binds its outputs in a scope.
ImportNode = Callable[[NodeProto, dict[str, Any]], None]


@dataclass
class PartialGraph:
    """The part of a graph that computes some of its values, reimported with other inputs.

    `producers` are the graph's nodes by output, `scope` what is imported of it, `bound` the values that
    replace those of their names, `found` the values recomputed so far.
    """

    producers: Mapping[str, NodeProto]
    scope: Mapping[str, Any]
    bound: Mapping[str, Any]
    import_node: ImportNode
    found: dict[str, Any] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        """Returns the value of a name, recomputed where it depends on the bound values."""
        if name in self.bound:
            return self.bound[name]
        if name not in self.found:
            self.found[name] = self._compute(name)
        return self.found[name]

    def _compute(self, name: str) -> Any:
        if name in self.scope and not self._depends(name):
            return self.scope[name]
        node = self.producers.get(name)
        if node is None:
            raise NodeError(f"'{name}' is no value of the graph")
        own = {input_name: self.value(input_name) for input_name in node.input if input_name}
        # Bodies read values of the graph around them.
        own = {**self.scope, **self.bound, **own}
        self.import_node(node, own)
        return own[name]

    def _depends(self, name: str) -> bool:
        """Whether a value is computed from a bound one."""
        waiting, seen = [name], set[str]()
        while waiting:
            name_read = waiting.pop()
            if name_read in self.bound:
                return True
            if name_read not in seen and name_read in self.producers:
                seen.add(name_read)
                waiting += self.producers[name_read].input
        return False


# Deeper nesting of functions than any exporter makes.
MAX_CALLS = 64


@dataclass
class Importer:
    """Imports the nodes of one model; unsupported nodes are collected in `problems`."""

    model: LoadedModel
    builder: GraphBuilder
    warnings: ImportWarnings
    problems: list[UnsupportedNode] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.functions = model_functions(self.model.proto)
        check_calls(self.functions, self.model.name)
        self.builder.meter.check_nodes(expanded_nodes(self.model.proto.graph, self.functions))

    def import_graph(
        self, graph: GraphProto, scope: Scope, frame: Frame, finish: Finish | None = None
    ) -> list[Any]:
        """Imports a graph whose inputs are in `scope`; returns its outputs, or what `finish` makes of
        them."""
        frame = frame.inside(graph)
        nodes = sorted_nodes(graph, set(scope), self.model.name)
        for twice in find_repeated(tensor.name for tensor in graph.initializer):
            self.warnings.add(f"{self.model.name}: initializer '{twice}' is a duplicate; the last is used")
        given = {graph_input.name for graph_input in graph.input} & scope.keys()
        for tensor in (*graph.initializer, *graph.sparse_initializer):
            name = tensor.values.name if isinstance(tensor, SparseTensorProto) else tensor.name
            if name not in given:
                scope[name] = self._import_tensor(tensor, name)

        def results(own: Scope) -> list[Any]:
            """Returns the results after the last node."""
            outputs = [own[output.name] for output in graph.output]
            return finish(outputs) if finish else outputs

        return self._import_nodes(nodes, scope, frame, results)

    def _import_nodes(
        self, nodes: Sequence[NodeProto], scope: Scope, frame: Frame, results: Callable[[Scope], list[Any]]
    ) -> list[Any]:
        """Imports nodes; returns the results of the scope after them."""
        for index, node in enumerate(nodes):
            try:
                self.import_node(node, scope, frame)
            except UnlikeBranchesError:
                return self._import_rest_in_branches(node, nodes[index + 1 :], scope, frame, results)
        return results(scope)

    def _import_rest_in_branches(
        self,
        node: NodeProto,
        rest: Sequence[NodeProto],
        scope: Scope,
        frame: Frame,
        results: Callable[[Scope], list[Any]],
    ) -> list[Any]:
        """Imports an If whose results have the rank that its branch gives them, with all that follows it in
        both branches; returns the results."""

        def finish(outputs: list[Any]) -> list[Any]:
            """Imports what follows, for the results of a branch."""
            named = zip(node.output, outputs, strict=False)
            own = {**scope, **{name: bound_to(name, value) for name, value in named if name}}
            return self._import_nodes(rest, own, frame, results)

        name = frame.label(node)
        inputs = [scope[input_name] for input_name in node.input]
        seen = self._node(node, inputs, scope, frame, name, frame.opsets[""])
        branches = {key: partial(branch, finish=finish) for key, branch in seen.attributes.items()}
        choose = lookup("", node.op_type, seen.opset)
        assert choose is not None, "its first import found it"
        with self._faults_of(node, name):
            return _list_results(choose(replace(seen, attributes=branches, declared=())), 0)

    def _import_tensor(self, tensor: TensorProto | SparseTensorProto, name: str) -> Value:
        if isinstance(tensor, SparseTensorProto):
            # A few bytes of it may make a large constant; no element has more than 16.
            self.builder.meter.use_constant(16 * math.prod(tensor.dims))
        try:
            constant = self.model.tensors.read(tensor)
        except ModelError as error:
            raise type(error)(f"{self.model.name}: {error}") from None
        return self.builder.constants.from_tensor(name, constant, ir.Location.name(name))

    def import_node(self, node: NodeProto, scope: Scope, frame: Frame) -> None:
        """Imports a node and binds its outputs in `scope`. Raises `ModelError` if the node is wrong."""
        name, results = frame.label(node), None
        try:
            with self._faults_of(node, name):
                self.builder.meter.use_nodes()
                results = self._results(node, scope, frame, name)
        except UnsupportedNodeError as error:
            if isinstance(error, UnlikeBranchesError) and node.op_type == "If":
                raise
            self._note(node, frame, name, str(error))
        except Incomplete:
            pass
        for i, output in enumerate(node.output):
            if output:
                scope[output] = bound_to(output, results[i]) if results is not None else MISSING

    @contextmanager
    def _faults_of(self, node: NodeProto, name: str) -> Iterator[None]:
        """Adds file and node to errors of a node's import. Unsupported nodes are left to the caller."""
        file, where = self.model.name, f"node '{name}' ({node.op_type})"
        try:
            yield
        except UnsupportedNodeError:
            raise
        except NodeError as error:
            raise FailedNodeError(file, f"{where}: {error}") from None
        except BudgetError as error:
            raise ModelError(f"{file}: {where}: {error}") from None
        except MemoryError:
            raise ModelError(f"{file}: {where}: there is not enough memory for its constants") from None
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
            # Attributes of other types than the operator's; for operators with a schema the checker
            # has reported them.
            cause = f"its inputs or attributes do not fit the operator: {type(error).__name__}: {error}"
            raise FailedNodeError(file, f"{where}: {cause}") from error

    def _note(self, node: NodeProto, frame: Frame, name: str, cause: str) -> None:
        domain = plain_domain(node.domain)
        problem = UnsupportedNode(name, node.op_type, domain, frame.opsets.get(domain), cause)
        # The body of a loop may be imported more than once.
        if problem not in self.problems:
            self.problems.append(problem)

    def _results(self, node: NodeProto, scope: Scope, frame: Frame, name: str) -> list[Any] | None:
        domain = plain_domain(node.domain)
        opset = frame.opsets.get(domain, 1)
        inputs = [scope[n] if n else None for n in node.input]
        function = self.functions.get((domain, node.op_type, node.overload))
        registered = None if function is not None else lookup(domain, node.op_type, opset)
        if MISSING in inputs:
            # The types are unknown, but it is known whether the operator is supported.
            if registered is None and function is None and not _has_body(node, opset):
                raise UnsupportedNodeError("the operator is not supported")
            return None
        wrong = check_node(node, frame.opsets, self.model.proto.ir_version)
        if wrong:
            raise NodeError(wrong)
        if registered is not None:
            seen = self._node(node, inputs, scope, frame, name, opset)
            with suppress(TakesBody):
                return _list_results(registered(seen), len(node.output))
        body = (
            local_body(function, node, self.model.name)
            if function
            else schema_body(node, frame.opsets, inputs)
        )
        if body is None:
            raise UnsupportedNodeError("the operator is not supported")
        return self._call(body, inputs, frame, label(node))

    def _node(
        self,
        node: NodeProto,
        inputs: Sequence[OnnxValue],
        scope: Scope,
        frame: Frame,
        name: str,
        opset: int,
    ) -> Node:
        inner = Frame(frame.opsets, (*frame.path, label(node)))
        attributes = {
            attribute.name: Subgraph(self.import_graph, attribute.g, scope, inner)
            if attribute.type == AttributeProto.GRAPH
            else self._attribute(attribute, name)
            for attribute in node.attribute
        }
        return Node(
            node.op_type,
            plain_domain(node.domain),
            opset,
            name,
            tuple(inputs),
            tuple(node.output),
            attributes,
            ir.Location.name(name),
            self.builder,
            tuple(frame.declared.get(output) for output in node.output),
            lambda text: self.warnings.add(f"{self.model.name}: node '{name}' ({node.op_type}): {text}"),
            lambda name, bound: self._again(name, bound, scope, frame),
        )

    def _again(self, name: str, bound: Mapping[str, Value], scope: Scope, frame: Frame) -> Value:
        """Returns the value `name` of a graph, recomputed where it depends on the bound values."""
        part = PartialGraph(
            frame.producers, scope, bound, lambda node, own: self.import_node(node, own, frame)
        )
        try:
            value = part.value(name)
        except UnlikeBranchesError as error:
            raise UnsupportedNodeError(str(error)) from None
        if not isinstance(value, Value):
            raise Incomplete
        return value

    def _attribute(self, attribute: AttributeProto, name: str) -> Any:
        """Returns an attribute as a Python value: a scalar, a string, a list of them; a tensor, also a sparse
        one, as a `Value`."""
        if attribute.type == AttributeProto.TENSOR:
            return self._import_tensor(attribute.t, name)
        if attribute.type == AttributeProto.SPARSE_TENSOR:
            return self._import_tensor(attribute.sparse_tensor, name)
        value = onnx.helper.get_attribute_value(attribute)
        if isinstance(value, bytes):
            return value.decode(errors="replace")
        if attribute.type == AttributeProto.STRINGS:
            return [text.decode(errors="replace") for text in value]
        return list(value) if attribute.type in (AttributeProto.INTS, AttributeProto.FLOATS) else value

    def _call(self, body: FunctionBody, inputs: Sequence[Any], frame: Frame, name: str) -> list[Any]:
        """Imports a function's body instead of the call."""
        path = (*frame.path, name)
        if len(path) > MAX_CALLS:
            raise NodeError(f"its functions are nested more than {MAX_CALLS} deep")
        scope: Scope = dict.fromkeys(body.inputs)
        scope.update(zip(body.inputs, inputs, strict=False))
        inner = Frame(body.opsets, path)
        for node in body.nodes:
            unknown = [n for n in node.input if n and n not in scope]
            if unknown:
                raise NodeError(
                    f"node '{inner.label(node)}' of its body uses '{unknown[0]}', which nothing defines"
                )
            self.import_node(node, scope, inner)
        return [scope.get(output) for output in body.outputs]


def _has_body(node: NodeProto, opset: int) -> bool:
    domain = plain_domain(node.domain)
    if not onnx.defs.has(node.op_type, opset, domain):
        return False
    schema = onnx.defs.get_schema(node.op_type, opset, domain)
    return bool(schema.has_function or schema.has_context_dependent_function)


def _list_results(results: Value | Sequence[OnnxValue], count: int) -> list[Any]:
    found = [results] if isinstance(results, Value) else list(results)
    if len(found) < count:
        raise UnsupportedNodeError(f"only its first {len(found)} outputs are supported")
    return found
