"""Strings and sequences, which the C runtime computes with and kernels move as ids."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.dialects.graph.elements import ElementClass
from mlc.dialects.graph.ops.runtime_functions import FUNCTIONS
from mlc.dialects.graph.shape_rules import check_length, merge, text
from mlc.dialects.graph.spec import (
    Attribute,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    Shape,
    ShapeError,
    define,
    define_family,
)

STRING, SEQUENCE = "!graph.string", "!graph.sequence"
OBJECTS = (STRING, SEQUENCE)

# Attribute of those arguments and results of @main that are objects: their type as in a manifest ("string",
# "sequence(float32)").
OBJECT_TYPE_ATTRIBUTE = "graph.object_type"
# Attribute of modules: the texts of the strings with the first ids.
STRINGS_ATTRIBUTE = "graph.strings"

# By the elements of a function's parameters.
_ELEMENTS = {"string": (STRING, "i64"), "sequence": (SEQUENCE, "i64")}

FAMILY = define_family(
    "objects",
    "Elements of type `!graph.string` and `!graph.sequence` are objects of the running call: the host "
    "program calls functions of the C runtime to compute with them. Ops that only move elements, or compare "
    "them for equality, take them like integers, which `graph-lower-objects` replaces them by.",
)


def _objects(call: OpCall) -> GraphTensor:
    if call.given.element not in OBJECTS:
        raise ShapeError("result", f"must have elements of type {' or '.join(OBJECTS)}: {call.given}")
    return GraphTensor(call.x.shape, call.given.element)


define(
    OpSpec(
        "objects",
        FAMILY,
        "the strings, or sequences, with these ids",
        "The dims of x; the element type is given. The id of a string is its index in the module's "
        "attribute `graph.strings`; 0 is the empty string, and the empty sequence.",
        ("string constants",),
        (OperandSpec("x", ElementClass("i64", frozenset({"i64"}))),),
        _objects,
        result_given=True,
    )
)

define(
    OpSpec(
        "object_ids",
        FAMILY,
        "the ids of strings",
        "The dims of x. Ids of strings of the module's attribute `graph.strings` are their indices, "
        "all others are larger; equal strings have equal ids.",
        ("lookups of strings",),
        (OperandSpec("x", ElementClass("string", frozenset({STRING}))),),
        lambda call: GraphTensor(call.x.shape, "i64"),
    )
)


def _call_runtime(call: OpCall) -> GraphTensor:
    function = FUNCTIONS.get(call.function)
    if function is None:
        raise ShapeError("function", f'is "{call.function}" instead of one of {", ".join(FUNCTIONS)}')
    if len(call.values) != len(function.operands):
        raise ShapeError(
            "values", f"number {len(call.values)}, the function takes {', '.join(function.names)}"
        )
    check_length("options", call.options, len(function.options), "one per option of the function")
    for parameter, tensor in zip(function.operands, call.values, strict=True):
        _check_taken(f"values ({parameter.name})", tensor, parameter.element, parameter.rank)
    _check_taken("result", call.given, function.result, function.rank)
    if function.takes_dims and call.values[-1].shape != (call.given.rank,):
        raise ShapeError("values (dims)", f"must have {call.given.rank} elements: {call.values[-1]}")
    if not function.elementwise:
        return call.given
    pairs = zip(function.operands, call.values, strict=True)
    tensors = [tensor for parameter, tensor in pairs if parameter.rank is None]
    return GraphTensor(_common(tensors), call.given.element)


def _common(tensors: Sequence[GraphTensor]) -> Shape:
    """Returns the shape that all have; raises ShapeError if they differ."""
    shape, *others = [tensor.shape or () for tensor in tensors]
    for other in others:
        if len(other) != len(shape):
            raise ShapeError("values", f"have different ranks: {text(shape)} and {text(other)}")
        pairs = zip(shape, other, strict=True)
        shape = tuple(merge("values", one, two, "they have different dims") for one, two in pairs)
    return shape


def _check_taken(field: str, tensor: GraphTensor, element: str, rank: int | None) -> None:
    """Raises ShapeError unless a function takes, or returns, tensors of this type."""
    if tensor.shape is None:
        raise ShapeError(field, f"needs a known rank: {tensor}")
    if element and tensor.element not in _ELEMENTS.get(element, (element,)):
        raise ShapeError(
            field, f"must have elements {' or '.join(_ELEMENTS.get(element, (element,)))}: {tensor}"
        )
    if rank is not None and tensor.rank != rank:
        raise ShapeError(field, f"must have rank {rank}: {tensor}")


define(
    OpSpec(
        "call_runtime",
        FAMILY,
        "the result of a function of the C runtime",
        "The result type is given. Where a function takes `dims`, they are the result's dims.",
        ("operators on strings and sequences",),
        (OperandSpec("values", variadicity="variadic"),),
        _call_runtime,
        (
            Attribute("function", "str", "its name"),
            Attribute("options", "ints", "its integer arguments", ()),
        ),
        result_given=True,
    )
)
