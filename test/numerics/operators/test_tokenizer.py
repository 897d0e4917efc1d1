"""Tokenizer against ONNX Runtime: many expressions in one model, called with odd and random texts."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from oracle import compile_model, runtime

from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import import_model

RANDOM = random.Random(0)
EXPRESSIONS: list[dict[str, Any]] = [
    {"tokenexp": "ab|bcd", "mincharnum": 3},
    {"tokenexp": "."},
    {"separators": [""], "mark": 1},
    {"separators": [" "], "mark": 1},
    {"separators": [" ", "-"], "mincharnum": 2},
    {"separators": ["a*"]},
    {"separators": ["", " "]},
    {"separators": ["^f", "^o"]},
    {"separators": [r"\b"]},
    {"separators": ["[.,;]", r"\s"], "tokenexp": "a"},
    {"tokenexp": "a*|x"},
    {"tokenexp": "a+?|ab", "pad_value": ""},
    {"tokenexp": r"\b\w+"},
    {"tokenexp": "^."},
    {"tokenexp": "$"},
    {"tokenexp": r"(?m)\w+$"},
    {"tokenexp": r"\B."},
    {"tokenexp": "[a-zA-Z0-9_]+", "mincharnum": 2, "mark": 1},
    {"tokenexp": "(?i)[à-öa-c]+"},
    {"tokenexp": "zzz", "mark": 1},
]
TEXTS = [
    *("", "abcd", "a\nbé", "  ", "a b-c", "xaay", "foo bar", "a1 B2", "é$x", "ab\ncd", "größer Straße"),
    *("\U0001f600 x\U0001f600y", "a.b,c;d"),
    *("".join(RANDOM.choices("ab cd\n-é1.f", k=RANDOM.randrange(12))) for _ in range(40)),
]


def node(name: str, **attributes: Any) -> onnx.NodeProto:
    given = {"mark": 0, "mincharnum": 1, "pad_value": "#", **attributes}
    return helper.make_node("Tokenizer", ["x"], [name], domain="com.microsoft", **given)


def model(nodes: list[onnx.NodeProto], *dims: int | str) -> onnx.ModelProto:
    outputs = [helper.make_tensor_value_info(node.output[0], TensorProto.STRING, None) for node in nodes]
    inputs = [helper.make_tensor_value_info("x", TensorProto.STRING, dims)]
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    graph = helper.make_graph(nodes, "tokens", inputs, outputs)
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def test_tokens_are_those_of_onnx_runtime() -> None:
    proto = model([node(f"y{i}", **given) for i, given in enumerate(EXPRESSIONS)], "n")
    executable = compile_model(proto)
    for texts in ([text] for text in TEXTS), [TEXTS, ["", ""]]:
        for given in texts:
            values = {"x": np.array(given, object)}
            found, expected = executable.run(values), runtime(proto, values)
            assert expected is not None
            for index, attributes in enumerate(EXPRESSIONS):
                name = f"y{index}"
                assert found[name].shape == expected[name].shape, (attributes, given)
                assert found[name].tolist() == expected[name].tolist(), (attributes, given)


def test_matrices() -> None:
    proto = model([node("y", separators=[" "], mark=1)], "n", 2)
    executable = compile_model(proto)
    for rows in (0, 1, 3):
        values = {"x": np.array(TEXTS[: 2 * rows], object).reshape(rows, 2)}
        found = executable.run(values)["y"]
        # ONNX Runtime leaves the last dim out where there are no strings.
        expected = runtime(proto, values)["y"] if rows else np.zeros((0, 2, 0), object)
        assert found.shape == expected.shape and found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({}, "one of separators and tokenexp is needed"),
        ({"tokenexp": "a", "mincharnum": 0}, "mincharnum is 0, and must be positive"),
        ({"tokenexp": ".", "mincharnum": 2}, "the tokens are single characters"),
        ({"tokenexp": "(?!a)"}, r"\(\?! is not supported: node 'Tokenizer:y'"),
        ({"separators": ["a", r"\p{Greek}"]}, "class of Unicode 'Greek' is not supported"),
    ],
)
def test_what_is_refused(attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        import_model(model([node("y", **attributes)], "n"))


def test_ranks_that_are_refused() -> None:
    with pytest.raises(ModelError, match="rank 3 instead of 1 or 2"):
        import_model(model([node("y", tokenexp="a")], "n", 1, 1))
