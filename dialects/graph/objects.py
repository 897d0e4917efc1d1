"""Strings and sequences: what the C runtime computes with, and kernels move about as numbers."""

from __future__ import annotations

from .elements import ElementClass
from .rules import check_length
from .runtime_functions import FUNCTIONS
from .spec import Attribute, Call, Operand, OpSpec, ShapeError, Tensor, define, define_family

STRING, SEQUENCE = "!graph.string", "!graph.sequence"
OBJECTS = (STRING, SEQUENCE)

# Attribute of those arguments and results of @main that are objects: what they are, as a manifest says it
# ("string", "sequence(float32)").
KIND_ATTRIBUTE = "graph.kind"
# Attribute of modules: the text of the strings that have the first numbers.
STRINGS_ATTRIBUTE = "graph.strings"

FAMILY = define_family(
    "objects",
    "Elements of type `!graph.string` and `!graph.sequence` are objects of the running call: what computes "
    "with them are functions of the C runtime, which the host program calls. Ops that only move elements, or "
    "compare them for equality, take them like numbers, which `graph-number-objects` makes them.",
)


def _numbered(call: Call) -> Tensor:
    if call.given.element not in OBJECTS:
        raise ShapeError("result", f"must have elements of type {' or '.join(OBJECTS)}: {call.given}")
    return Tensor(call.x.shape, call.given.element)


define(
    OpSpec(
        "objects",
        FAMILY,
        "the strings, or sequences, of these numbers",
        "The dims of x; the element type is given. Strings have the numbers of their places in the module's "
        "attribute `graph.strings`; 0 is the empty string, and the empty sequence.",
        ("string constants",),
        (Operand("x", ElementClass("i64", frozenset({"i64"}))),),
        _numbered,
        result_given=True,
    )
)


def _called(call: Call) -> Tensor:
    function = FUNCTIONS.get(call.function)
    if function is None:
        raise ShapeError("function", f'is "{call.function}" instead of one of {", ".join(FUNCTIONS)}')
    check_length("values", call.values, len(function.operands), "what the function takes")
    check_length("options", call.options, len(function.options), "what the function is called with")
    if call.given.shape is None:
        raise ShapeError("result", f"needs a known rank: {call.given}")
    if not function.elementwise:
        return call.given
    return Tensor(call.values[0].shape, call.given.element)


define(
    OpSpec(
        "call_runtime",
        FAMILY,
        "what a function of the C runtime computes",
        "The result type is given. Where a function takes `dims`, they are the result's dims.",
        ("operators on strings and sequences",),
        (Operand("values", kind="variadic"),),
        _called,
        (
            Attribute("function", "str", "its name"),
            Attribute("options", "ints", "the numbers that it is called with", ()),
        ),
        result_given=True,
    )
)
