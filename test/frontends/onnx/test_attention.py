"""ONNX's Attention is the graph's op where that says it all, and ONNX's body otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from onnx import TensorProto, helper

from mlc.frontends.onnx import import_model

HEADS = {"q": [2, 8, 16, 32], "k": [2, 4, 16, 32], "v": [2, 4, 16, 24]}
JOINED = {"q": [2, 16, 256], "k": [2, 16, 128], "v": [2, 16, 96]}


def import_attention(shapes: Mapping[str, Sequence[int]], **attributes: Any) -> str:
    node = helper.make_node("Attention", list(shapes), ["y"], **attributes)
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * len(shapes["q"]))
    graph = helper.make_graph([node], "g", inputs, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=10)
    return str(import_model(model).module)


@pytest.mark.parametrize("causal", [0, 1])
def test_plain_calls_are_one_op(causal: int) -> None:
    text = import_attention(HEADS, is_causal=causal)
    assert text.count('"graph.attention"') == 1
    assert f"causal = {str(bool(causal)).lower()}" in text
    assert '"graph.softmax"' not in text


def test_heads_side_by_side_are_split() -> None:
    text = import_attention(JOINED, q_num_heads=8, kv_num_heads=4, scale=0.5)
    assert text.count('"graph.attention"') == 1 and "scale = 5.000000e-01" in text
    assert "-> tensor<2x16x192xf32>" in text


@pytest.mark.parametrize(
    ("shapes", "attributes"),
    [
        (HEADS | {"mask": [16, 16]}, {}),
        (HEADS | {"q": [2, 8, 12, 32]}, {"is_causal": 1}),
        (HEADS, {"softcap": 2.0}),
        (HEADS, {"softmax_precision": TensorProto.DOUBLE}),
    ],
)
def test_other_calls_take_the_body(
    shapes: Mapping[str, Sequence[int]], attributes: dict[str, object]
) -> None:
    assert '"graph.attention"' not in import_attention(shapes, **attributes)
