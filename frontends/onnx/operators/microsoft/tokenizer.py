"""Tokenizer, which divides strings into tokens by regular expressions; scikit-learn's vectorisers export
it."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.objects.strings import largest_count
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value
from mlc.frontends.regex.automaton import search_table
from mlc.frontends.regex.syntax_tree import RegexError

# A letter, as separators [""] and the expression "." ask for; "." elsewhere matches no newline.
_LETTER = "(?s)."
# Start and end of text.
_MARKS = ("\x02", "\x03")


@onnx_operator("Tokenizer", domain=MICROSOFT)
def tokenizer(node: Node) -> Value:
    """Imports Tokenizer, with ONNX Runtime's rules: the longest matches, each of whose first letters is
    removed where they are too short, and no marks where no string has tokens. The expressions are compiled to
    automata, which search at run time. Raises NodeError for attributes and ranks that it refuses."""
    x, least = node.input(0), int(node.attr("mincharnum"))
    if x.rank not in (1, 2):
        raise NodeError(f"the input has rank {x.rank} instead of 1 or 2")
    if least < 1:
        raise NodeError(f"mincharnum is {least}, and must be positive")
    by_separators, table = _expressions(node, least)
    options, marks = [int(by_separators), least], _MARKS if node.attr("mark") else ("", "")
    operands = x, node.constant(table)
    counts = node.call_runtime(
        "string_token_count", *operands, onnx_type=TensorProto.INT64, shape=x.shape, options=options
    )
    shape = [*x.shape, largest_count(node, counts, added=2 if node.attr("mark") else 0)]
    more = node.strings([*marks, node.attr("pad_value")]), node.sizes(shape)
    return node.call_runtime(
        "string_tokens", *operands, *more, onnx_type=TensorProto.STRING, shape=shape, options=options
    )


def _expressions(node: Node, least: int) -> tuple[bool, np.ndarray]:
    """Returns whether the expressions are separators, and their tables. Raises NodeError."""
    separators = list(node.attributes.get("separators") or [])
    expression = node.attributes.get("tokenexp") or ""
    if not separators and not expression:
        raise NodeError("one of separators and tokenexp is needed")
    if separators == [""] or (not separators and expression == "."):
        if least > 1:
            raise NodeError(f"mincharnum is {least}, but the tokens are single characters")
        separators, expression = [], _LETTER
    try:
        tables = [search_table(pattern) for pattern in separators or [expression]]
    except RegexError as error:
        raise UnsupportedNodeError(str(error)) from None
    return bool(separators), np.concatenate(tables)
