"""Transformers as ONNX Runtime fuses them, of dynamic batches and lengths, against ONNX
Runtime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from oracle import Arrays, compile_model, differences, runtime

F32, I32 = TensorProto.FLOAT, TensorProto.INT32
HEADS, SIZE, WORDS, POSITIONS = 2, 16, 11, 16
HIDDEN = HEADS * SIZE
RNG = np.random.default_rng(5)


def model(
    nodes: list[onnx.NodeProto],
    inputs: Mapping[str, tuple[int, list[Any]]],
    outputs: Mapping[str, list[Any]],
    weights: Mapping[str, tuple[int, ...]],
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, *type_and_dims) for name, type_and_dims in inputs.items()],
        [helper.make_tensor_value_info(name, F32, dims) for name, dims in outputs.items()],
        [
            numpy_helper.from_array(RNG.standard_normal(shape, np.float32) / 4, name)
            for name, shape in weights.items()
        ],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def fused_node(operator: str, inputs: str, outputs: str, **attributes: Any) -> onnx.NodeProto:
    """A node of com.microsoft; "-" stands for what is left out."""
    given, made = (["" if part == "-" else part for part in text.split()] for text in (inputs, outputs))
    return helper.make_node(operator, given, made, domain="com.microsoft", **attributes)


def check(built: onnx.ModelProto, *calls: Arrays) -> None:
    executable = compile_model(built)
    for inputs in calls:
        expected = runtime(built, inputs)
        assert expected is not None
        found = executable.run(inputs)
        if "count" in inputs:
            # ONNX Runtime leaves open what a cache holds after its keys.
            found, expected = (_of_keys(outputs, int(inputs["count"])) for outputs in (found, expected))
        assert not differences(found, expected, 1e-5)


def _of_keys(outputs: Arrays, count: int) -> Arrays:
    return {name: array[:, :, :count] if name != "y" else array for name, array in outputs.items()}


@pytest.mark.slow
def test_a_layer_of_bert() -> None:
    """The mask is 1 for words that count."""
    built = model(
        [
            fused_node("EmbedLayerNormalization", "words - table positions - gamma beta", "x -"),
            fused_node("Attention", "x w bias mask", "a", num_heads=HEADS),
            fused_node("SkipLayerNormalization", "a x gamma beta", "y"),
        ],
        {"words": (I32, ["batch", "length"]), "mask": (I32, ["batch", "length"])},
        {"y": ["batch", "length", HIDDEN]},
        {"table": (WORDS, HIDDEN), "positions": (POSITIONS, HIDDEN), "gamma": (HIDDEN,), "beta": (HIDDEN,)}
        | {"w": (HIDDEN, 3 * HIDDEN), "bias": (3 * HIDDEN,)},
    )

    def inputs(batch: int, length: int) -> Arrays:
        mask = np.ones((batch, length), np.int32)
        mask[0, length // 2 + 1 :] = 0
        return {"words": RNG.integers(0, WORDS, (batch, length)).astype(np.int32), "mask": mask}

    check(built, inputs(1, 1), inputs(3, 7), inputs(2, 16))


@pytest.mark.slow
def test_lengths_as_a_mask() -> None:
    """The mask is the number of keys of each sequence."""
    built = model(
        [fused_node("Attention", "x w bias mask", "y", num_heads=HEADS, unidirectional=1)],
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
        [fused_node("MultiHeadAttention", "q k v bias - - pk pv", "y nk nv", num_heads=HEADS)],
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
@pytest.mark.parametrize("positions", [["batch", "length"], [1]], ids=["each", "first"])
def test_rotary_embedding(positions: list[Any], interleaved: int) -> None:
    """Positions of each word, or of the first."""
    row = ["batch", "length", HIDDEN]
    built = model(
        [fused_node("RotaryEmbedding", "x positions cos sin", "y", interleaved=interleaved)],
        {"x": (F32, row), "positions": (TensorProto.INT64, positions)},
        {"y": row},
        {"cos": (POSITIONS, SIZE // 2), "sin": (POSITIONS, SIZE // 2)},
    )

    def inputs(batch: int, length: int) -> Arrays:
        shape = (batch, length) if len(positions) == 2 else (1,)
        return {
            "x": RNG.standard_normal((batch, length, HIDDEN), np.float32),
            "positions": RNG.integers(0, POSITIONS - length + 1, shape),
        }

    check(built, inputs(2, 5), inputs(1, 1))


@pytest.mark.slow
def test_groups_of_queries_with_a_cache() -> None:
    """The first call has no keys before, the second one a new word for each sequence; the last one has a
    cache of more keys than there are."""
    past: list[Any] = ["batch", 1, "past", SIZE]
    present: list[Any] = ["batch", 1, "total", SIZE]
    row: list[Any] = ["batch", "length", HIDDEN]
    shared: list[Any] = ["batch", "length", SIZE]
    built = model(
        [
            fused_node(
                "GroupQueryAttention",
                "q k v pk pv last count cos sin",
                "y nk nv",
                num_heads=HEADS,
                kv_num_heads=1,
                do_rotary=1,
            )
        ],
        {"q": (F32, row), "k": (F32, shared), "v": (F32, shared), "pk": (F32, past), "pv": (F32, past)}
        | {"last": (I32, ["batch"]), "count": (I32, [])},
        {"y": row, "nk": present, "nv": present},
        {"cos": (POSITIONS, SIZE // 2), "sin": (POSITIONS, SIZE // 2)},
    )

    def inputs(batch: int, length: int, before: int, unused: int = 0) -> Arrays:
        values = {
            name: RNG.standard_normal((batch, length, width), np.float32)
            for name, width in (("q", HIDDEN), ("k", SIZE), ("v", SIZE))
        }
        shape = (batch, 1, before + unused, SIZE)
        values |= {name: RNG.standard_normal(shape, np.float32) for name in ("pk", "pv")}
        total = before + length
        return {**values, "last": np.full(batch, total - 1, np.int32), "count": np.array(total, np.int32)}

    check(built, inputs(2, 5, 0), inputs(2, 1, 5), inputs(1, 1, 9), inputs(2, 1, 3, unused=4))
