"""Mutations of nodes: attributes, optional inputs and outputs, the version of the opset."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any

import numpy as np
from onnx import AttributeProto, ModelProto, NodeProto, defs, helper

from mlc.tools.fuzz.case import FuzzCase, domain_of, graphs_of
from mlc.tools.fuzz.random_draws import pick
from mlc.tools.fuzz.seeds import Seeds
from mlc.tools.fuzz.value_mutators import formal_inputs, schema_of

_OPTIONAL = defs.OpSchema.FormalParameterOption.Optional
_INTS = (-2, -1, 0, 1, 2, 3, 4)
_FLOATS = (-1.0, 0.0, 0.5, 1.0, 1e-6, 2.0, 100.0)
# The newest one that most oracles know.
NEWEST_OPSET = 26
_KINDS = defs.OpSchema.AttrType


def change_attribute(rng: np.random.Generator, case: FuzzCase, seeds: Seeds) -> FuzzCase | None:
    """Another value for an attribute of the schema: one that some seed has, or a drawn one."""
    model, node = _opened(rng, case)
    schema = schema_of(case, node)
    names = [name for name, formal in schema.attributes.items() if formal.type in _DRAWN]
    if not names:
        return None
    name = pick(rng, names)
    known = seeds.attributes.get((node.op_type, name), [])
    old = next((helper.get_attribute_value(each) for each in node.attribute if each.name == name), None)
    kind = schema.attributes[name].type
    # What is a switch in all seeds takes no other integers.
    is_switch = bool(known) and all(value in (0, 1) for value in known)
    value = pick(rng, known) if known and rng.random() < 0.6 else _DRAWN[kind](rng, old)
    if kind == _KINDS.INT and is_switch:
        value = int(rng.integers(2))
    if value is None:
        return None
    _set(node, helper.make_attribute(name, value, attr_type=_PROTO_KINDS[kind]))
    return case.with_inputs(case.inputs, model)


def _set(node: NodeProto, attribute: AttributeProto) -> None:
    for old in [each for each in node.attribute if each.name == attribute.name]:
        node.attribute.remove(old)
    node.attribute.append(attribute)


def _some_ints(rng: np.random.Generator, old: Any) -> list[int] | None:
    """One of the list changed; None if there is no list whose length would be right."""
    if not old:
        return None
    values = list(old)
    values[rng.integers(len(values))] = pick(rng, _INTS)
    return values


def _some_floats(rng: np.random.Generator, old: Any) -> list[float] | None:
    if not old:
        return None
    values = list(old)
    values[rng.integers(len(values))] = pick(rng, _FLOATS)
    return values


_DRAWN = {
    _KINDS.INT: lambda rng, _old: pick(rng, _INTS),
    _KINDS.FLOAT: lambda rng, _old: pick(rng, _FLOATS),
    _KINDS.STRING: lambda _rng, old: old,
    _KINDS.INTS: _some_ints,
    _KINDS.FLOATS: _some_floats,
}
_PROTO_KINDS = {
    _KINDS.INT: AttributeProto.INT,
    _KINDS.FLOAT: AttributeProto.FLOAT,
    _KINDS.STRING: AttributeProto.STRING,
    _KINDS.INTS: AttributeProto.INTS,
    _KINDS.FLOATS: AttributeProto.FLOATS,
}


def drop_attribute(rng: np.random.Generator, case: FuzzCase, _seeds: Seeds) -> FuzzCase | None:
    """Leaves an attribute to its default."""
    model, node = _opened(rng, case)
    if not node.attribute:
        return None
    del node.attribute[int(rng.integers(len(node.attribute)))]
    return case.with_inputs(case.inputs, model)


def skip_input(rng: np.random.Generator, case: FuzzCase, _seeds: Seeds) -> FuzzCase | None:
    """Leaves out an optional input of a node, or one of several of a kind."""
    model, node = _opened(rng, case)
    formals = formal_inputs(schema_of(case, node), node)
    optional = [
        index
        for index, formal in enumerate(formals)
        if node.input[index] and formal.option != defs.OpSchema.FormalParameterOption.Single
    ]
    if not optional:
        return None
    index = pick(rng, optional)
    if formals[index].option == defs.OpSchema.FormalParameterOption.Variadic:
        del node.input[index]
    else:
        node.input[index] = ""
    _strip(node.input)
    return without_unread(case, model)


def without_unread(case: FuzzCase, model: ModelProto) -> FuzzCase:
    """The case without inputs that nothing reads."""
    read = {name for graph in graphs_of(model) for node in graph.node for name in node.input}
    read |= {info.name for info in model.graph.output}
    return case.with_inputs({name: array for name, array in case.inputs.items() if name in read}, model)


def skip_output(rng: np.random.Generator, case: FuzzCase, _seeds: Seeds) -> FuzzCase | None:
    """Leaves out an output of the model, and of the node if it is optional there."""
    model = case.copied()
    if len(model.graph.output) < 2:
        return None
    name = model.graph.output.pop(int(rng.integers(len(model.graph.output)))).name
    for node in model.graph.node:
        formals = schema_of(case, node).outputs
        for place, output in enumerate(node.output):
            if output == name and formals[min(place, len(formals) - 1)].option == _OPTIONAL:
                node.output[place] = ""
        _strip(node.output)
    return case.with_inputs(case.inputs, model)


def _strip(names: MutableSequence[str]) -> None:
    """What is left out at the end of a list is not there."""
    while names and not names[-1]:
        del names[-1]


def change_opset(rng: np.random.Generator, case: FuzzCase, _seeds: Seeds) -> FuzzCase | None:
    """Another version of the opset in which the operator exists."""
    node = pick(rng, case.nodes)
    domain = domain_of(node.domain)
    if domain not in case.opsets:
        return None
    since = schema_of(case, node).since_version
    newest = NEWEST_OPSET if not domain else case.opsets[domain]
    if since > newest:
        return None
    version = int(rng.integers(since if rng.random() < 0.7 else max(since - 6, 1), newest + 1))
    model = case.copied()
    for entry in model.opset_import:
        if domain_of(entry.domain) == domain:
            entry.version = version
    model.ir_version = max(model.ir_version, 10)
    return case.with_inputs(case.inputs, model)


def _opened(rng: np.random.Generator, case: FuzzCase) -> tuple[ModelProto, NodeProto]:
    """A copy of the model, and a node of it."""
    model = case.copied()
    return model, pick(rng, list(model.graph.node))
