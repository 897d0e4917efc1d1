"""Operators on strings, which functions of the C runtime compute.

Upper and lower case of Unicode are tables that the runtime applies to strings.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import differ
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.legacy_broadcasting import broadcast_together
from mlc.frontends.onnx.operators.common.table_lookup import look_up
from mlc.frontends.onnx.operators.tensor.compaction import first_of
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value
from mlc.frontends.regex.automaton import match_table
from mlc.frontends.regex.syntax_tree import RegexError

# A row of the table: a code point and what replaces it.
ROW = 4

_SIGMA = "\N{GREEK CAPITAL LETTER SIGMA}"

# Code points are examined in blocks of this size, most of which contain no letter.
_BLOCK = 256


def changed_case(text: str, action: str) -> str:
    """Returns the text in the case "LOWER" or "UPPER", converted code point by code point, as the table
    does."""
    if action == "UPPER":
        return text.upper()
    # The only letter whose lower case depends on its position in the word.
    return _SIGMA.lower().join(part.lower() for part in text.split(_SIGMA))


@cache
def case_table(action: str) -> np.ndarray:
    """Returns, for "LOWER" or "UPPER", the code points that have another form in that case: `[n, 4]` of i32,
    sorted.

    Each row is a code point, the up to three that replace it, then zeros.
    """
    return np.array([[*row, *[0] * (ROW - len(row))] for row in _rows(action)], np.int32)


def _rows(action: str) -> Iterator[list[int]]:
    for first in range(0, sys.maxunicode + 1, _BLOCK):
        block = "".join(map(chr, range(first, first + _BLOCK)))
        if changed_case(block, action) != block:
            changed = ((ord(letter), changed_case(letter, action)) for letter in block)
            yield from ([code, *map(ord, text)] for code, text in changed if text != chr(code))


_CASES = ("NONE", "LOWER", "UPPER")


@onnx_operator("StringConcat")
def string_concat(node: Node) -> Value:
    """Imports StringConcat, with broadcasting."""
    x, y = broadcast_together(node, node.input(0), node.input(1))
    return node.call_runtime("string_concat", x, y, onnx_type=TensorProto.STRING, shape=x.shape)


@onnx_operator("RegexFullMatch")
def regex_full_match(node: Node) -> Value:
    """Imports RegexFullMatch. The pattern is compiled to an automaton, which takes a step per byte at run
    time."""
    try:
        table = match_table(node.attr("pattern"))
    except RegexError as error:
        raise UnsupportedNodeError(str(error)) from None
    operands = node.input(0), node.constant(table)
    return node.call_runtime("string_match", *operands, onnx_type=TensorProto.BOOL, shape=node.input(0).shape)


@onnx_operator("StringSplit")
def string_split(node: Node) -> tuple[Value, Value]:
    """Imports StringSplit: the parts of each string, as many as the most of any string, and the number of
    each string's parts."""
    x, delimiter = node.input(0), node.strings([node.attr("delimiter", "")], [])
    options = [int(node.attr("maxsplit", -1))]
    counts = node.call_runtime(
        "string_split_count", x, delimiter, onnx_type=TensorProto.INT64, shape=x.shape, options=options
    )
    shape = [*x.shape, largest_count(node, counts)]
    parts = node.call_runtime(
        "string_split",
        x,
        delimiter,
        node.sizes(shape),
        onnx_type=TensorProto.STRING,
        shape=shape,
        options=options,
    )
    return parts, counts


def largest_count(node: Node, counts: Value, added: int = 0) -> Dim:
    """Returns the largest count, 0 where there are none; `added` more where it is not 0."""
    if 0 in counts.shape:
        return 0
    flat = counts if counts.rank else node.reshape(counts, [1])
    most = node.emit("reduce_max", flat, axes=list(range(flat.rank)), keepdims=False)
    zero = node.constant(np.int64(0))
    most = node.emit("max", most, zero)
    if added:
        more = node.emit("add", most, node.constant(np.int64(added)))
        most = node.emit("where", node.emit("equal", most, zero), most, more)
    [width] = node.read_dims(node.reshape(most, [1]))
    return width


@onnx_operator("StringNormalizer", since=10)
def string_normalizer(node: Node) -> Value:
    """Imports StringNormalizer: the strings that are no stop words, in another case, or one empty string.

    Case conversion follows Unicode; the attribute `locale` is ignored. Raises NodeError for other shapes
    than `[C]` and `[1, C]`.
    """
    x, action = node.input(0), node.attr("case_change_action", "NONE")
    if action not in _CASES:
        raise NodeError(f"case_change_action must be one of {', '.join(_CASES)}, not {action!r}")
    if x.rank not in (1, 2) or (x.rank == 2 and differ(x.shape[0], 1)):
        raise NodeError("the input must have the shape [C] or [1, C]")
    flat = node.reshape(x, [x.shape[-1]])
    result = _remove_stop_words(
        node, flat, _change_case(node, flat, action), list(node.attributes.get("stopwords") or [])
    )
    return node.reshape(result, [1] * (x.rank - 1) + [result.shape[0]])


def _change_case(node: Node, x: Value, action: str) -> Value:
    """Returns the strings in upper or lower case."""
    if action == "NONE":
        return x
    table = node.constant(case_table(action))
    return node.call_runtime("string_case", x, table, onnx_type=TensorProto.STRING, shape=x.shape)


def _remove_stop_words(node: Node, x: Value, changed: Value, words: list[str]) -> Value:
    """Returns those of the changed strings that are no stop words."""
    if not words and isinstance(x.shape[0], int) and x.shape[0] > 0:
        return changed
    action = node.attr("case_change_action", "NONE")
    compared = x
    if not node.attr("is_case_sensitive", 0):
        action = "LOWER" if action == "NONE" else action
        words = [changed_case(word, action) for word in words]
        compared = (
            changed if node.attr("case_change_action", "NONE") == action else _change_case(node, x, action)
        )
    keys = np.unique(node.string_ids(words))
    is_stop = look_up(node, node.ids_of(compared), keys, np.ones(len(keys), np.int64), np.int64(0))
    return _at_least_one(node, changed, node.emit("equal", is_stop, node.constant(np.int64(0))))


def _at_least_one(node: Node, x: Value, is_kept: Value) -> Value:
    """Returns the strings that are kept; an empty one where there are none."""
    flags = node.cast(is_kept, TensorProto.INT64)
    count = node.emit("reduce_sum", flags, axes=[0], keepdims=True)
    flags = node.emit("concat", is_kept, node.emit("equal", count, node.constant(np.int64(0))), axis=0)
    both = node.emit("concat", x, node.strings([""]), axis=0)
    values, length = node.emit_several("compress", both, flags, axis=0)
    return first_of(node, [values], length, 0)[0]
