"""What a host function on buffers says of itself to whoever calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import ir


def describe(
    function: ir.Operation, numbers: Mapping[str, int], strategy: str, weights: Sequence[ir.Operation]
) -> None:
    """Sets the `tloop` attributes of a host function: numbers by name, how its memory was planned, and what
    the weights are that it takes as arguments."""
    word = ir.IntegerType.get_signless(64)
    for name, value in numbers.items():
        function.attributes[f"tloop.{name}"] = ir.IntegerAttr.get(word, value)
    function.attributes["tloop.arena_strategy"] = ir.StringAttr.get(strategy)
    function.attributes["tloop.weights"] = ir.ArrayAttr.get([_reference(op) for op in weights])


def _reference(op: ir.Operation) -> ir.Attribute:
    """The attributes of a `graph.weight` or `graph.prepared`, with its type."""
    entries: dict[str, ir.Attribute] = {name: op.attributes[name] for name in op.attributes}
    return ir.DictAttr.get(entries | {"type": ir.TypeAttr.get(op.results[0].type)})
