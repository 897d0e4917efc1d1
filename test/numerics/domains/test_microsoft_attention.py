"""Attention of com.microsoft against ONNX Runtime: masks, past keys, grouped heads, rotary embedding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from node_groups import HOWS, Case, Fixed, wrong_cases
from onnx import TensorProto

F32 = TensorProto.FLOAT
RNG = np.random.default_rng(0)
BATCH, LENGTH, HEADS, SIZE = 2, 6, 3, 16
HIDDEN = HEADS * SIZE


def f32(*shape: int, low: float = -1, high: float = 1) -> np.ndarray:
    return RNG.uniform(low, high, shape).astype(np.float32)


def i32(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def check(cases: dict[str, Case], how: str) -> None:
    assert wrong_cases(cases, "com.microsoft", how=how) == {}


MASK = np.ones((BATCH, LENGTH), np.int32)
MASK[0, 4:] = MASK[1, 2:3] = 0


def whole(mask: Any = None, past: Any = None, added: Any = None, **attributes: Any) -> Case:
    inputs = [
        f32(BATCH, LENGTH, 10),
        f32(10, 3 * HIDDEN),
        f32(3 * HIDDEN),
        mask,
        past,
        added,
    ]
    present = (F32,) if past is not None else ()
    return Case("Attention", inputs, {"num_heads": HEADS, **attributes}, outputs=(F32, *present))


@pytest.mark.parametrize("how", HOWS)
def test_attention_of_one_input(how: str) -> None:
    past = f32(2, BATCH, HEADS, 4, SIZE)
    weights = f32(10, 2 * HIDDEN + 5 * HEADS)
    check({
        "plain": whole(scale=0.5),
        "causal": whole(unidirectional=1),
        "mask": whole(MASK),
        "mask_causal": whole(MASK, unidirectional=1),
        "lengths": whole(i32(4, 6)),
        "spans": whole(i32(4, 6, 1, 0)),
        "mask_of_scores": whole(np.tril(np.ones((BATCH, LENGTH, LENGTH), np.int32))),
        "added": whole(added=f32(BATCH, HEADS, LENGTH, LENGTH)),
        "added_broadcast": whole(MASK, added=f32(1, 1, LENGTH, LENGTH)),
        "past": whole(past=past),
        "past_causal": whole(np.ones((BATCH, LENGTH + 4), np.int32), past, unidirectional=1),
        "sizes": Case("Attention", [f32(BATCH, LENGTH, 10), weights, f32(weights.shape[1])],
                      {"num_heads": HEADS, "qkv_hidden_sizes": [48, 48, 15]}),
        "quantised": Case(
            "QAttention",
            [RNG.integers(0, 256, (BATCH, LENGTH, 10)).astype(np.uint8),
             # Of 7 bits: ONNX Runtime's pair sums of larger ones saturate without VNNI.
             Fixed(RNG.integers(-64, 64, (10, 3 * HIDDEN)).astype(np.int8)), f32(3 * HIDDEN),
             *map(Fixed, map(np.asarray, (np.float32(0.01), np.float32(0.02)))), i32(4, 6),
             *map(Fixed, map(np.asarray, (np.uint8(128), np.int8(3))))],
            {"num_heads": HEADS}, tolerance=1e-4,
        ),
    }, how)  # fmt: skip


def packed_attention(*packed: np.ndarray) -> list[np.ndarray]:
    """Queries `[B, S, N * D]` and packed keys and values, or all packed."""
    parts = np.moveaxis(packed[-1], 3, 0)
    first = [packed[0].reshape(BATCH, LENGTH, HEADS, SIZE)] if len(packed) > 1 else []
    q, k, v = (np.moveaxis(part, 1, 2).astype(np.float64) for part in (*first, *parts))
    weights = np.exp(q @ k.swapaxes(2, 3) / 4)
    result = weights / weights.sum(-1, keepdims=True) @ v
    return [np.moveaxis(result, 1, 2).reshape(BATCH, LENGTH, HIDDEN).astype(np.float32)]


@pytest.mark.parametrize("how", HOWS)
def test_attention_of_three_inputs(how: str) -> None:
    q, k, v = f32(BATCH, LENGTH, HIDDEN), f32(BATCH, 5, HIDDEN), f32(BATCH, 5, HIDDEN)
    heads = [f32(BATCH, HEADS, 5, SIZE) for _ in range(2)]
    past = [f32(BATCH, HEADS, 4, SIZE) for _ in range(2)]
    new = [f32(BATCH, LENGTH, HIDDEN) for _ in range(3)]
    bias, keys = f32(3 * HIDDEN), MASK[:, :5].copy()

    def case(*inputs: Any, outputs: int = 1, **attributes: Any) -> Case:
        return Case(
            "MultiHeadAttention", inputs, {"num_heads": HEADS, **attributes}, outputs=(F32,) * outputs
        )

    check({
        "plain": case(q, k, v),
        "bias": case(q, k, v, bias, scale=0.3),
        "lengths": case(q, k, v, None, i32(3, 5)),
        "mask": case(q, k, v, bias, keys),
        "added": case(q, k, v, None, None, f32(1, HEADS, LENGTH, 5)),
        "causal": case(*new, unidirectional=1),
        "heads": case(q, *heads),
        "past": case(*new, None, None, None, *past, outputs=3),
        "past_mask": case(*new, None, np.ones((BATCH, LENGTH + 4), np.int32), None, *past, outputs=3),
        # ONNX Runtime has no kernel for these forms on CPUs.
        "packed_keys": replace(case(q, f32(BATCH, 5, HEADS, 2, SIZE)), expected=packed_attention),
        "packed": replace(case(f32(BATCH, LENGTH, HEADS, 3, SIZE)), expected=packed_attention),
    }, how)  # fmt: skip


GROUPS = 2


def tables(rows: int = 32, half: int = SIZE // 2) -> list[Fixed]:
    angles = RNG.uniform(0, 6, (rows, half))
    return [Fixed(np.cos(angles).astype(np.float32)), Fixed(np.sin(angles).astype(np.float32))]


def grouped_case(
    batch: int, new: int, past: int, total: int, lengths: list[int], room: int = 0, **more: Any
) -> Case:
    """Returns a case of `past` keys in a cache of `room`; outputs are compared up to the valid keys."""
    rotary, packed_heads = more.pop("rotary", False), more.pop("packed", False)
    heads = 2 * GROUPS
    widths = [(heads + 2 * GROUPS) * SIZE] if packed_heads else [heads * SIZE, GROUPS * SIZE, GROUPS * SIZE]
    inputs: list[Any] = [f32(batch, new, width) for width in widths] + [None] * (3 - len(widths))
    inputs += [f32(batch, GROUPS, room or past, SIZE) for _ in range(2)] if past or room else [None, None]
    inputs += [i32(*lengths), Fixed(np.array(total, np.int32))]
    inputs += tables() if rotary else []
    attributes = {"num_heads": heads, "kv_num_heads": GROUPS, "do_rotary": int(rotary), **more}
    shortest = min(lengths) + 1
    return Case("GroupQueryAttention", inputs, attributes, outputs=(F32, F32, F32),
                kept=lambda y: y[:, :, :shortest] if y.ndim == 4 else y)  # fmt: skip


def with_sink(case: Case) -> Case:
    return replace(case, inputs=[*case.inputs, None, None, None, None, f32(2 * GROUPS)])


@pytest.mark.parametrize("how", HOWS)
def test_attention_of_groups(how: str) -> None:
    check({
        "prompt": grouped_case(2, 6, 0, 6, [5, 5]),
        "prompt_rotary": grouped_case(2, 6, 0, 6, [5, 5], rotary=True),
        "prompt_packed": grouped_case(1, 6, 0, 6, [5], rotary=True, packed=True, scale=0.4),
        "interleaved": grouped_case(1, 6, 0, 6, [5], rotary=True, rotary_interleaved=1),
        "window": grouped_case(1, 6, 0, 6, [5], local_window_size=3),
        "next": grouped_case(1, 1, 4, 5, [4], rotary=True),
        "next_room": grouped_case(1, 1, 4, 5, [4], room=9, rotary=True),
        "next_of_two": grouped_case(2, 1, 7, 7, [4, 6], rotary=True),
        "next_window": grouped_case(2, 1, 7, 7, [4, 6], local_window_size=3),
        "several": grouped_case(1, 3, 4, 7, [6], rotary=True),
        "capped": grouped_case(2, 6, 0, 6, [5, 5], softcap=2.0),
        "capped_next": grouped_case(2, 1, 7, 7, [4, 6], softcap=2.0, local_window_size=3),
        "smooth": grouped_case(1, 6, 0, 6, [5], smooth_softmax=1),
        "sink": with_sink(grouped_case(1, 6, 0, 6, [5])),
    }, how)  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("interleaved", [0, 1])
def test_rotary_embedding(interleaved: int, how: str) -> None:
    x, positions = f32(BATCH, LENGTH, HIDDEN), RNG.integers(0, 32, (BATCH, LENGTH))
    attributes = {"interleaved": interleaved}
    check({
        "positions": Case("RotaryEmbedding", [x, positions, *tables()], attributes),
        "start": Case("RotaryEmbedding", [x, np.array([3]), *tables()], attributes),
        "heads": Case("RotaryEmbedding", [f32(BATCH, HEADS, LENGTH, SIZE), positions, *tables()], attributes),
        "part": Case("RotaryEmbedding", [x, positions, *tables(half=2)],
                     {**attributes, "num_heads": HEADS, "rotary_embedding_dim": 4}),
    }, how)  # fmt: skip
