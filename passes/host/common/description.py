"""What a host function on buffers says of itself to whoever calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import ir
from mlc.dialects.graph.ops.objects import OBJECT_TYPE_ATTRIBUTE, STRINGS_ATTRIBUTE
from mlc.passes.common.constants import i64


def describe(
    function: ir.Operation, numbers: Mapping[str, int], strategy: str, weights: Sequence[ir.Operation]
) -> None:
    """Sets the `tloop` attributes of a host function: numbers by name, how its memory was planned, and what
    the weights are that it takes as arguments."""
    word = i64()
    for name, value in numbers.items():
        function.attributes[f"tloop.{name}"] = ir.IntegerAttr.get(word, value)
    function.attributes["tloop.arena_strategy"] = ir.StringAttr.get(strategy)
    function.attributes["tloop.weights"] = ir.ArrayAttr.get([_reference(op) for op in weights])


def describe_objects(function: ir.Operation, old: ir.Operation, module: ir.Operation) -> None:
    """Says of a function on buffers which of its arguments are strings and sequences, and the module's
    strings."""
    kinds = [_kinds(old, side) for side in ("arg_attrs", "res_attrs")]
    if any(each.value for side in kinds for each in side):
        function.attributes["tloop.object_types"] = ir.ArrayAttr.get(
            [ir.ArrayAttr.get(side) for side in kinds]
        )
    if STRINGS_ATTRIBUTE in module.attributes:
        function.attributes["tloop.strings"] = module.attributes[STRINGS_ATTRIBUTE]


def _kinds(function: ir.Operation, side: str) -> list[ir.Attribute]:
    entries = map(ir.DictAttr, function.attributes.get(side, []))
    return [
        entry[OBJECT_TYPE_ATTRIBUTE] if OBJECT_TYPE_ATTRIBUTE in entry else ir.StringAttr.get("")
        for entry in entries
    ]


def _reference(op: ir.Operation) -> ir.Attribute:
    """The attributes of a `graph.weight` or `graph.prepared`, with its type."""
    entries: dict[str, ir.Attribute] = {name: op.attributes[name] for name in op.attributes}
    return ir.DictAttr.get(entries | {"type": ir.TypeAttr.get(op.results[0].type)})
