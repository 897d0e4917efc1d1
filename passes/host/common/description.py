"""Attributes of a host function on buffers, for its callers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import ir
from mlc.dialects.graph.ops.objects import OBJECT_TYPE_ATTRIBUTE, STRINGS_ATTRIBUTE
from mlc.passes.common.constants import i64_attribute


def describe(
    function: ir.Operation, statistics: Mapping[str, int], strategy: str, weights: Sequence[ir.Operation]
) -> None:
    """Sets the `tloop` attributes of a host function: integers by name, the strategy of its memory plan, and
    the weights that it takes as arguments."""
    for name, value in statistics.items():
        function.attributes[f"tloop.{name}"] = i64_attribute(value)
    function.attributes["tloop.arena_strategy"] = ir.StringAttr.get(strategy)
    function.attributes["tloop.weights"] = ir.ArrayAttr.get([_reference(op) for op in weights])


def describe_objects(function: ir.Operation, old: ir.Operation, module: ir.Operation) -> None:
    """Sets the attributes of a function on buffers that list the types of arguments that are strings and
    sequences, and the module's strings."""
    arguments, results = _object_types(old, "arg_attrs"), _object_types(old, "res_attrs")
    if any(type_.value for type_ in (*arguments, *results)):
        function.attributes["tloop.object_types"] = ir.ArrayAttr.get(
            [ir.ArrayAttr.get(types) for types in (arguments, results)]
        )
    if STRINGS_ATTRIBUTE in module.attributes:
        function.attributes["tloop.strings"] = module.attributes[STRINGS_ATTRIBUTE]


def _object_types(function: ir.Operation, attributes: str) -> list[ir.Attribute]:
    entries = map(ir.DictAttr, function.attributes.get(attributes, []))
    return [
        entry[OBJECT_TYPE_ATTRIBUTE] if OBJECT_TYPE_ATTRIBUTE in entry else ir.StringAttr.get("")
        for entry in entries
    ]


def _reference(op: ir.Operation) -> ir.Attribute:
    """Returns the attributes of a `graph.weight` or `graph.prepared`, with its type."""
    entries: dict[str, ir.Attribute] = {name: op.attributes[name] for name in op.attributes}
    (result,) = op.results
    return ir.DictAttr.get(entries | {"type": ir.TypeAttr.get(result.type)})
