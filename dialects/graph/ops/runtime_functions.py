"""The functions of the C runtime that a host program calls for ops that have no generated code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RuntimeParameter:
    """An operand: `element` is "string", "sequence", "i64", "i32", "f32" or "" for elements of any type,
    `rank` None for any rank. Strings and sequences may be i64 ids."""

    name: str
    element: str = ""
    rank: int | None = None


@dataclass(frozen=True)
class RuntimeFunction:
    """A function; `result` is the type of its result's elements, `options` are its integer arguments.
    The dims of the result are those of all operands of any rank where it is `elementwise`, and those in the
    operand `dims` where there is one; else the result has rank `rank`."""

    name: str
    summary: str
    operands: tuple[RuntimeParameter, ...]
    result: str = ""
    rank: int | None = None
    options: tuple[str, ...] = ()
    elementwise: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the operands."""
        return tuple(operand.name for operand in self.operands)

    @property
    def takes_dims(self) -> bool:
        """Whether the last operand is the result's dims."""
        return self.names[-1] == DIMS.name


SEQUENCE = RuntimeParameter("sequence", "sequence", 0)
POSITION = RuntimeParameter("position", "i64", 0)
DIMS = RuntimeParameter("dims", "i64", 1)

_ALL = (
    RuntimeFunction(
        "string_concat",
        "the strings of x, each followed by the string of y at the same index",
        (RuntimeParameter("x", "string"), RuntimeParameter("y", "string")),
        "string",
        elementwise=True,
    ),
    RuntimeFunction(
        "string_case",
        "the strings of x with the code points of `table` replaced: sorted rows of a code point, up to three "
        "for it, and zeros",
        (RuntimeParameter("x", "string"), RuntimeParameter("table", "i32", 2)),
        "string",
        elementwise=True,
    ),
    RuntimeFunction(
        "string_match",
        "whether a deterministic automaton accepts the bytes of each string of x; `table` are the number of "
        "states, that of classes of bytes, the class of each byte, whether each state accepts, and where "
        "each class leads from each state",
        (RuntimeParameter("x", "string"), RuntimeParameter("table", "i32", 1)),
        "i1",
        elementwise=True,
    ),
    RuntimeFunction(
        "string_to_float",
        "the strings of x converted to floats; a call with another string fails",
        (RuntimeParameter("x", "string"),),
        "f64",
        elementwise=True,
    ),
    RuntimeFunction(
        "string_to_integer",
        "the strings of x converted to i64 or ui64, without the digits after the point",
        (RuntimeParameter("x", "string"),),
        elementwise=True,
    ),
    RuntimeFunction(
        "float_to_string",
        "the shortest texts that identify values of a float format with `bits` and `least_exponent`",
        (RuntimeParameter("x", "f64"),),
        "string",
        options=("bits", "least_exponent"),
        elementwise=True,
    ),
    RuntimeFunction(
        "integer_to_string",
        "the decimal digits of x, of i64 or ui64",
        (RuntimeParameter("x"),),
        "string",
        elementwise=True,
    ),
    RuntimeFunction(
        "string_order",
        "for each string of x the number of distinct strings in x that are less, by bytes",
        (RuntimeParameter("x", "string"),),
        "i64",
        elementwise=True,
    ),
    RuntimeFunction(
        "string_split_count",
        "the number of parts of each string of x, split at a delimiter, or at white space where that is "
        "empty",
        (RuntimeParameter("x", "string"), RuntimeParameter("delimiter", "string", 0)),
        "i64",
        options=("most_splits",),
        elementwise=True,
    ),
    RuntimeFunction(
        "string_split",
        "the parts of each string of x along a last dim, filled up with empty strings",
        (RuntimeParameter("x", "string"), RuntimeParameter("delimiter", "string", 0), DIMS),
        "string",
        options=("most_splits",),
    ),
    RuntimeFunction(
        "string_token_count",
        "the number of tokens of each string of x: the matches of an expression, or what is between those of "
        "`by_separators` expressions, if they have `least` characters; `table` holds one or more automata "
        "that search, of `search_table` in mlc.frontends.regex.automaton",
        (RuntimeParameter("x", "string"), RuntimeParameter("table", "i32", 1)),
        "i64",
        options=("by_separators", "least"),
        elementwise=True,
    ),
    RuntimeFunction(
        "string_tokens",
        "the tokens of each string of x along a last dim, preceded by marks[0] and followed by marks[1] "
        "unless these are empty, and filled up with marks[2]",
        (
            RuntimeParameter("x", "string"),
            RuntimeParameter("table", "i32", 1),
            RuntimeParameter("marks", "string", 1),
            DIMS,
        ),
        "string",
        options=("by_separators", "least"),
    ),
    RuntimeFunction("sequence_length", "the number of elements of a sequence", (SEQUENCE,), "i64", 0),
    RuntimeFunction(
        "sequence_common_length",
        "the number of elements that each of two sequences has",
        (SEQUENCE, RuntimeParameter("other", "sequence", 0)),
        "i64",
        0,
    ),
    RuntimeFunction(
        "sequence_append", "the sequence with x at its end", (SEQUENCE, RuntimeParameter("x")), "sequence", 0
    ),
    RuntimeFunction(
        "sequence_insert",
        "the sequence with x inserted before the element at `position`, which may be the length",
        (SEQUENCE, RuntimeParameter("x"), POSITION),
        "sequence",
        0,
    ),
    RuntimeFunction(
        "sequence_erase",
        "the sequence without the element at `position`",
        (SEQUENCE, POSITION),
        "sequence",
        0,
    ),
    RuntimeFunction(
        "sequence_dims",
        "the sizes of the element at `position`, whose rank is the result's number of elements and whose "
        "type is `element`, ONNX's TensorProto.DataType",
        (SEQUENCE, POSITION),
        "i64",
        1,
        ("element",),
    ),
    RuntimeFunction(
        "sequence_at", "the element at `position`, which has the sizes `dims`", (SEQUENCE, POSITION, DIMS)
    ),
    RuntimeFunction(
        "sequence_joined_dims",
        "the sizes of all elements, of type `element`, joined along an axis, or a new one",
        (SEQUENCE,),
        "i64",
        1,
        ("element", "axis", "new_axis"),
    ),
    RuntimeFunction(
        "sequence_joined",
        "all elements joined along an axis, which gives the sizes `dims`",
        (SEQUENCE, DIMS),
        options=("axis",),
    ),
    RuntimeFunction(
        "sequence_split",
        "the parts of x along an axis, with the lengths of a vector, or all of the length of a scalar; the "
        "axis of parts of one element is dropped unless `keep` is 1",
        (RuntimeParameter("x"), RuntimeParameter("lengths", "i64")),
        "sequence",
        0,
        ("axis", "keep"),
    ),
    RuntimeFunction(
        "sequence_maps",
        "for each row of x a map from the keys to its elements; the sequence has two vectors of each map, "
        "its keys and its values",
        (RuntimeParameter("keys", "i64", 1), RuntimeParameter("x", rank=2)),
        "sequence",
        0,
    ),
    RuntimeFunction(
        "pairwise_coupling",
        "the probabilities of the classes in each row of x, which holds at i, j the probability of class i "
        "among i and j; LIBSVM's iteration",
        (RuntimeParameter("x", "f32", 3), DIMS),
        "f32",
        2,
    ),
)

FUNCTIONS = {function.name: function for function in _ALL}
"""Functions by name; in C they are `mlc_call_NAME` (runtime/csrc/objects/object_calls.h)."""
