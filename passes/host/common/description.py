"""Attributes of a host function on buffers, for its callers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import cf, fields, ir, views
from mlc.dialects import tloop
from mlc.dialects.graph.ops.objects import OBJECT_TYPE_ATTRIBUTE, STRINGS_ATTRIBUTE
from mlc.passes.common.constants import i64_attribute
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.host.common.data_checks import check_messages

# On a `memref.alloc`: the output of the program that the memory holds.
OUTPUT = "tloop.output"
# On allocations and calls of the runtime, which may fail: the op that the message names.
CALLER = "tloop.caller"
# Begins the names of the C runtime's functions that launches call.
RUNTIME_PREFIX = "mlc_call_"


class PlanAttributes(views.AnyView):
    """The attributes that `host-plan-memory` writes at a host function."""

    num_inputs = fields.integer(name="tloop.num_inputs")
    num_outputs = fields.integer(name="tloop.num_outputs")
    input_shapes = fields.optional(fields.array(name="tloop.input_shapes"))
    output_shapes = fields.optional(fields.array(name="tloop.output_shapes"))
    object_types = fields.optional(fields.array(name="tloop.object_types"))
    weights = fields.array(name="tloop.weights")
    arena_bytes = fields.optional(fields.integer(name="tloop.arena_bytes"))
    arena_lower_bound = fields.integer(name="tloop.arena_lower_bound")
    arena_strategy = fields.string(name="tloop.arena_strategy")
    dims = fields.optional(fields.strings(name="tloop.dims"))
    messages = fields.strings((), name="tloop.messages")
    strings = fields.strings((), name="tloop.strings")


def describe(
    function: ir.Operation, statistics: Mapping[str, int], strategy: str, weights: Sequence[ir.Operation]
) -> None:
    """Sets the `tloop` attributes of a host function: integers by name, the strategy of its memory plan, the
    weights that it takes as arguments, and the messages of calls that fail."""
    for name, value in statistics.items():
        function.attributes[f"tloop.{name}"] = i64_attribute(value)
    plan = PlanAttributes(function)
    plan.arena_strategy, plan.weights = strategy, [_reference(op) for op in weights]
    messages = [cf.Assert(op).msg for op in collect_ops(function, [cf.Assert.NAME])]
    messages += [tloop.Check(op).message for op in collect_ops(function, [tloop.Check.NAME])]
    messages += [op.attributes[CALLER].value for op in collect_ops(function) if CALLER in op.attributes]
    messages += check_messages(function)
    if messages:
        plan.messages = tuple(dict.fromkeys(messages))


def describe_objects(function: ir.Operation, old: ir.Operation, module: ir.Operation) -> None:
    """Sets the attributes of a function on buffers that list the types of arguments that are strings and
    sequences, and the module's strings."""
    arguments, results = _object_types(old, "arg_attrs"), _object_types(old, "res_attrs")
    if any(type_.value for type_ in (*arguments, *results)):
        PlanAttributes(function).object_types = [ir.ArrayAttr.get(types) for types in (arguments, results)]
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
