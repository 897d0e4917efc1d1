"""Transformers as ONNX Runtime fuses them, of a batch and lengths that only a call tells, against ONNX
Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from oracle import Arrays, compiled, differences, runtime

F32, I32 = TensorProto.FLOAT, TensorProto.INT32
HEADS, SIZE, WORDS, PLACES = 2, 8, 11, 16
HIDDEN = HEADS * SIZE
RNG = np.random.default_rng(5)


def model(
    nodes: list[onnx.NodeProto],
    inputs: dict[str, tuple[int, list[Any]]],
    outputs: dict[str, list[Any]],
    weights: dict[str, tuple[int, ...]],
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, *kind) for name, kind in inputs.items()],
        [helper.make_tensor_value_info(name, F32, dims) for name, dims in outputs.items()],
        [
            numpy_helper.from_array(RNG.standard_normal(shape, np.float32) / 4, name)
            for name, shape in weights.items()
        ],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def fused(operator: str, inputs: str, outputs: str, **attributes: Any) -> onnx.NodeProto:
    """A node of com.microsoft; "-" stands for what is left out."""
    given, made = (["" if each == "-" else each for each in text.split()] for text in (inputs, outputs))
    return helper.make_node(operator, given, made, domain="com.microsoft", **attributes)


def check(built: onnx.ModelProto, *calls: Arrays) -> None:
    executable = compiled(built)
    for inputs in calls:
        expected = runtime(built, inputs)
        assert expected is not None
        assert not differences(executable.run(inputs), expected, 1e-5)


@pytest.mark.slow
def test_a_layer_of_bert() -> None:
    """The mask is 1 for words that count."""
    built = model(
        [
            fused("EmbedLayerNormalization", "words - table places - gamma beta", "x -"),
            fused("Attention", "x w bias mask", "a", num_heads=HEADS),
            fused("SkipLayerNormalization", "a x gamma beta", "y"),
        ],
        {"words": (I32, ["batch", "length"]), "mask": (I32, ["batch", "length"])},
        {"y": ["batch", "length", HIDDEN]},
        {"table": (WORDS, HIDDEN), "places": (PLACES, HIDDEN), "gamma": (HIDDEN,), "beta": (HIDDEN,)}
        | {"w": (HIDDEN, 3 * HIDDEN), "bias": (3 * HIDDEN,)},
    )

    def inputs(batch: int, length: int) -> Arrays:
        mask = np.ones((batch, length), np.int32)
        mask[0, length // 2 + 1 :] = 0
        return {"words": RNG.integers(0, WORDS, (batch, length)).astype(np.int32), "mask": mask}

    check(built, inputs(1, 1), inputs(3, 7), inputs(2, 16))


@pytest.mark.slow
def test_lengths_as_a_mask() -> None:
    """How many keys of each sequence count."""
    built = model(
        [fused("Attention", "x w bias mask", "y", num_heads=HEADS, unidirectional=1)],
        {"x": (F32, ["batch", "length", 10]), "mask": (I32, ["batch"])},
        {"y": ["batch", "length", HIDDEN]},
        {"w": (10, 3 * HIDDEN), "bias": (3 * HIDDEN,)},
    )
    x = RNG.standard_normal((3, 7, 10), np.float32)
    check(
        built,
        {"x": x, "mask": np.array([7, 2, 5], np.int32)},
        {"x": x[:1, :3], "mask": np.array([2], np.int32)},
    )


def test_keys_of_calls_before() -> None:
    """Past keys and values go in, all of them come out."""
    past, present = (["batch", HEADS, count, SIZE] for count in ("past", "total"))
    row = ["batch", "length", HIDDEN]
    built = model(
        [fused("MultiHeadAttention", "q k v bias - - pk pv", "y nk nv", num_heads=HEADS)],
        dict.fromkeys("qkv", (F32, row)) | dict.fromkeys(("pk", "pv"), (F32, past)),
        {"y": row, "nk": present, "nv": present},
        {"bias": (3 * HIDDEN,)},
    )

    def inputs(batch: int, length: int, count: int) -> Arrays:
        rows = {name: RNG.standard_normal((batch, length, HIDDEN), np.float32) for name in "qkv"}
        shape = (batch, HEADS, count, SIZE)
        return {**rows, **{name: RNG.standard_normal(shape, np.float32) for name in ("pk", "pv")}}

    check(built, inputs(2, 5, 3), inputs(1, 1, 9))


@pytest.mark.slow
@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("places", [["batch", "length"], [1]], ids=["each", "first"])
def test_rotary_embedding(places: list[Any], interleaved: int) -> None:
    """Places of each word, or of the first."""
    row = ["batch", "length", HIDDEN]
    built = model(
        [fused("RotaryEmbedding", "x places cos sin", "y", interleaved=interleaved)],
        {"x": (F32, row), "places": (TensorProto.INT64, places)},
        {"y": row},
        {"cos": (PLACES, SIZE // 2), "sin": (PLACES, SIZE // 2)},
    )

    def inputs(batch: int, length: int) -> Arrays:
        shape = (batch, length) if len(places) == 2 else (1,)
        return {
            "x": RNG.standard_normal((batch, length, HIDDEN), np.float32),
            "places": RNG.integers(0, PLACES - length + 1, shape),
        }

    check(built, inputs(2, 5), inputs(1, 1))
