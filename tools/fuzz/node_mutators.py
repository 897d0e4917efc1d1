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
_TYPES = defs.OpSchema.AttrType


def change_attribute(rng: np.random.Generator, case: FuzzCase, seeds: Seeds) -> FuzzCase | None:
    """Changes the value of an attribute of the schema to one of some seed, or to a drawn one."""
    model, node = _copy_and_pick(rng, case)
    schema = schema_of(case, node)
    names = [name for name, formal in schema.attributes.items() if formal.type in _DRAWN]
    if not names:
        return None
    name = pick(rng, names)
    known = seeds.attributes.get((node.op_type, name), [])
    old = next(
        (helper.get_attribute_value(attribute) for attribute in node.attribute if attribute.name == name),
        None,
    )
    attribute_type = schema.attributes[name].type
    # An attribute that is a switch in all seeds takes no other integers.
    is_switch = bool(known) and all(value in (0, 1) for value in known)
    value = pick(rng, known) if known and rng.random() < 0.6 else _DRAWN[attribute_type](rng, old)
    if attribute_type == _TYPES.INT and is_switch:
        value = int(rng.integers(2))
    if value is None:
        return None
    _set(node, helper.make_attribute(name, value, attr_type=_PROTO_TYPES[attribute_type]))
    return case.with_inputs(case.inputs, model)


def _set(node: NodeProto, attribute: AttributeProto) -> None:
    for old in [other for other in node.attribute if other.name == attribute.name]:
        node.attribute.remove(old)
    node.attribute.append(attribute)


def _some_ints(rng: np.random.Generator, old: Any) -> list[int] | None:
    """Changes one element of the list; returns None if there is no list with a valid length."""
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
    _TYPES.INT: lambda rng, _old: pick(rng, _INTS),
    _TYPES.FLOAT: lambda rng, _old: pick(rng, _FLOATS),
    _TYPES.STRING: lambda _rng, old: old,
    _TYPES.INTS: _some_ints,
    _TYPES.FLOATS: _some_floats,
}
_PROTO_TYPES = {
    _TYPES.INT: AttributeProto.INT,
    _TYPES.FLOAT: AttributeProto.FLOAT,
    _TYPES.STRING: AttributeProto.STRING,
    _TYPES.INTS: AttributeProto.INTS,
    _TYPES.FLOATS: AttributeProto.FLOATS,
}


def drop_attribute(rng: np.random.Generator, case: FuzzCase, _seeds: Seeds) -> FuzzCase | None:
    """Leaves an attribute to its default."""
    model, node = _copy_and_pick(rng, case)
    if not node.attribute:
        return None
    del node.attribute[int(rng.integers(len(node.attribute)))]
    return case.with_inputs(case.inputs, model)


def skip_input(rng: np.random.Generator, case: FuzzCase, _seeds: Seeds) -> FuzzCase | None:
    """Leaves out an optional or variadic input of a node."""
    model, node = _copy_and_pick(rng, case)
    formals = formal_inputs(schema_of(case, node), node)
    optional = [
        index
        for index, formal in enumerate(formals)
        if node.input[index]
        and formal.option != defs.OpSchema.FormalParameterOption.Single
        # A loop without a trip count, whose condition does not change, has no end.
        and (node.op_type, index) != ("Loop", 0)
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
    """Returns the case without unused inputs."""
    read = {name for graph in graphs_of(model) for node in graph.node for name in node.input}
    read |= {info.name for info in model.graph.output}
    return case.with_inputs({name: array for name, array in case.inputs.items() if name in read}, model)


def skip_output(rng: np.random.Generator, case: FuzzCase, _seeds: Seeds) -> FuzzCase | None:
    """Leaves out an output of the model, and of the node if it is optional there."""
    model = case.copy_model()
    if len(model.graph.output) < 2:
        return None
    name = model.graph.output.pop(int(rng.integers(len(model.graph.output)))).name
    for node in model.graph.node:
        formals = schema_of(case, node).outputs
        for index, output in enumerate(node.output):
            if output == name and formals[min(index, len(formals) - 1)].option == _OPTIONAL:
                node.output[index] = ""
        _strip(node.output)
    return case.with_inputs(case.inputs, model)


def _strip(names: MutableSequence[str]) -> None:
    """Drops empty names at the end of a list."""
    while names and not names[-1]:
        del names[-1]


def change_opset(rng: np.random.Generator, case: FuzzCase, _seeds: Seeds) -> FuzzCase | None:
    """Changes the version of the opset to another one in which the operator exists."""
    node = pick(rng, case.nodes)
    domain = domain_of(node.domain)
    if domain not in case.opsets:
        return None
    since = schema_of(case, node).since_version
    newest = NEWEST_OPSET if not domain else case.opsets[domain]
    if since > newest:
        return None
    version = int(rng.integers(since if rng.random() < 0.7 else max(since - 6, 1), newest + 1))
    model = case.copy_model()
    for entry in model.opset_import:
        if domain_of(entry.domain) == domain:
            entry.version = version
    model.ir_version = max(model.ir_version, 10)
    return case.with_inputs(case.inputs, model)


def _copy_and_pick(rng: np.random.Generator, case: FuzzCase) -> tuple[ModelProto, NodeProto]:
    """Returns a copy of the model and a drawn node of it."""
    model = case.copy_model()
    return model, pick(rng, list(model.graph.node))
