"""The functions of the C runtime that a host program calls, for what no code generator serves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RuntimeFunction:
    """One function; `operands` names what it takes, `options` the numbers that it is called with. The shape
    of its result is that of its first operand if `elementwise`, else it is given."""

    name: str
    summary: str
    operands: tuple[str, ...]
    options: tuple[str, ...] = ()
    elementwise: bool = False


_ALL = (
    RuntimeFunction(
        "string_concat",
        "the strings of x, each followed by the string of y at its place",
        ("x", "y"),
        elementwise=True,
    ),
    RuntimeFunction("sequence_length", "how many elements a sequence has", ("sequence",)),
    RuntimeFunction(
        "sequence_insert",
        "the sequence with x in front of the element at `place`, which may be the length",
        ("sequence", "x", "place"),
    ),
    RuntimeFunction(
        "sequence_dims",
        "the sizes of the element at `place`, whose rank is the result's number of elements and whose type "
        "is `element`, ONNX's number",
        ("sequence", "place"),
        ("element",),
    ),
    RuntimeFunction(
        "sequence_at", "the element at `place`, which has the sizes `dims`", ("sequence", "place", "dims")
    ),
)

FUNCTIONS = {each.name: each for each in _ALL}
"""By their names; in C they are `mlc_call_NAME` (runtime/csrc/object_calls.h)."""
