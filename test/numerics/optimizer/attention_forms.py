"""Attention and rotary embedding as PyTorch (TorchScript and dynamo), tf2onnx and optimum export them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from idiom_builder import Builder, Form
from onnx import TensorProto

BATCH, HEADS, ROWS, KEYS, WIDTH = 2, 4, 6, 6, 8
LOWEST = float(np.finfo(np.float32).min)


def _qkv(b: Builder, rows: int = ROWS, keys: int = KEYS, heads: int = HEADS) -> tuple[str, str, str]:
    query = b.input(BATCH, HEADS, rows, WIDTH)
    return query, b.input(BATCH, heads, keys, WIDTH), b.input(BATCH, heads, keys, WIDTH)


def _transpose(b: Builder, k: str) -> str:
    return b.Transpose(k, perm=[0, 1, 3, 2])


def _scores(b: Builder, q: str, k: str) -> str:
    return b.MatMul(q, _transpose(b, k))


def _triangle() -> np.ndarray:
    return np.tri(ROWS, KEYS, dtype=bool)[None, None]


def _plain(b: Builder) -> str:
    q, k, v = _qkv(b)
    return b.MatMul(b.Softmax(_scores(b, q, k), axis=-1), v)


def _bert_torchscript(b: Builder) -> str:
    """Heads from one row, the keys by one transpose; divided; a mask of the batch's padding."""
    x = b.input(BATCH, ROWS, HEADS * WIDTH)
    q, k, v = (
        b.Reshape(b.MatMul(x, b.value(HEADS * WIDTH, HEADS * WIDTH) / 8), [0, 0, HEADS, WIDTH]) for _ in "qkv"
    )
    scores = b.MatMul(b.Transpose(q, perm=[0, 2, 1, 3]), b.Transpose(k, perm=[0, 2, 3, 1]))
    padding = b.input(BATCH, 1, 1, ROWS, low=-4, high=0)
    weights = b.Softmax(b.Add(b.Div(scores, math.sqrt(WIDTH)), padding), axis=-1)
    result = b.Transpose(b.MatMul(weights, b.Transpose(v, perm=[0, 2, 1, 3])), perm=[0, 2, 1, 3])
    return b.Reshape(result, [0, 0, HEADS * WIDTH])


def _tensorflow(b: Builder) -> str:
    """The mask is computed, comes first in the sum, and is of -10000."""
    q, k, v = _qkv(b)
    mask = b.Mul(b.Sub(1, b.input(BATCH, 1, 1, KEYS, low=0, high=1)), -10000)
    return b.MatMul(b.Softmax(b.Add(mask, b.Mul(_scores(b, q, k), 1 / math.sqrt(WIDTH))), axis=-1), v)


def _gpt2_where(b: Builder) -> str:
    """A triangle of booleans, as a weight."""
    q, k, v = _qkv(b)
    scores = b.Where(_triangle(), b.Div(_scores(b, q, k), math.sqrt(WIDTH)), LOWEST)
    return b.MatMul(b.Softmax(scores, axis=-1), v)


def _gpt2_optimum(b: Builder) -> str:
    """The same, and a mask of the batch's padding."""
    q, k, v = _qkv(b)
    scores = b.Where(_triangle(), b.Div(_scores(b, q, k), math.sqrt(WIDTH)), LOWEST)
    padding = b.input(BATCH, 1, 1, KEYS, low=-4, high=0)
    return b.MatMul(b.Softmax(b.Add(scores, padding), axis=-1), v)


def _two_masks(b: Builder) -> str:
    """Booleans that are no triangle, and padding."""
    q, k, v = _qkv(b)
    mask = b.Or(b.input(1, 1, ROWS, KEYS, dtype=bool), np.eye(ROWS, KEYS, dtype=bool)[None, None])
    scores = b.Where(mask, b.Mul(_scores(b, q, k), 0.25), LOWEST)
    padding = b.input(BATCH, 1, 1, KEYS, low=-4, high=0)
    return b.MatMul(b.Softmax(b.Add(scores, padding), axis=-1), v)


def _window_and_padding(b: Builder) -> str:
    """A window of keys per query, and padding, which leave the last query none: those of the window count."""
    q, k, v = _qkv(b)
    window = np.tri(ROWS, KEYS, KEYS - ROWS, dtype=bool) & ~np.tri(ROWS, KEYS, KEYS - ROWS - 2, dtype=bool)
    scores = b.Where(b.operand(window[None, None]), b.Mul(_scores(b, q, k), 0.25), LOWEST)
    padding = np.where(np.arange(KEYS) < KEYS - 2, 0, LOWEST).astype(np.float32)
    return b.MatMul(b.Softmax(b.Add(scores, padding[None, None, None]), axis=-1), v)


def _masked_fill(b: Builder) -> str:
    """True where a key is excluded; one row excludes all of them, and weights them equally."""
    q, k, v = _qkv(b)
    excluded = b.And(
        b.input(BATCH, 1, ROWS, KEYS, dtype=bool), np.tri(ROWS, KEYS, -2, dtype=bool)[None, None]
    )
    scores = b.Where(excluded, -10000, b.Mul(_scores(b, q, k), 0.25))
    return b.MatMul(b.Softmax(scores, axis=-1), v)


def _causal_added(b: Builder) -> str:
    """As nn.Transformer, adds an upper triangle of minus infinity."""
    q, k, v = _qkv(b)
    mask = np.where(_triangle(), 0, -np.inf).astype(np.float32)
    return b.MatMul(b.Softmax(b.Add(_scores(b, q, k), mask), axis=-1), v)


def _sdpa_torchscript(b: Builder) -> str:
    """Both operands carry the root of the scale."""
    q, k, v = _qkv(b)
    root = WIDTH**-0.25
    scores = b.MatMul(b.Mul(q, root), b.Mul(_transpose(b, k), root))
    return b.MatMul(b.Softmax(b.Add(scores, b.input(ROWS, KEYS)), axis=-1), v)


def _sdpa_dynamo(b: Builder) -> str:
    """A row that excludes all keys gives zeros: there is one."""
    q, k, v = _qkv(b)
    mask = np.tri(ROWS, KEYS, -1, dtype=bool)[None, None]
    scores = b.Add(b.Mul(_scores(b, q, k), 0.25), b.Where(b.operand(mask), 0, -np.inf))
    weights = b.Softmax(scores, axis=-1)
    return b.MatMul(b.Where(b.IsNaN(weights), 0, weights), v)


def _clip_bmm(b: Builder) -> str:
    """Batch and heads in one dim; the query is scaled."""
    q, k, v = (b.input(BATCH * HEADS, ROWS, WIDTH) for _ in "qkv")
    scores = b.MatMul(b.Mul(q, 0.25), b.Transpose(k, perm=[0, 2, 1]))
    return b.MatMul(b.Softmax(scores, axis=-1), v)


def _t5(b: Builder) -> str:
    """No scale; a bias of every head."""
    q, k, v = _qkv(b)
    return b.MatMul(b.Softmax(b.Add(_scores(b, q, k), b.input(1, HEADS, ROWS, KEYS)), axis=-1), v)


def _repeat(b: Builder, x: str, times: int, keys: int) -> str:
    expanded = b.Expand(b.Unsqueeze(x, [2]), [BATCH, HEADS // times, times, keys, WIDTH])
    return b.Reshape(expanded, [BATCH, HEADS, keys, WIDTH])


def _llama_grouped(b: Builder) -> str:
    """Two heads of queries meet one of keys; fewer queries than keys, as with a cache; a mask per row."""
    q, k, v = _qkv(b, rows=3, keys=5, heads=2)
    scores = b.Mul(_scores(b, q, _repeat(b, k, 2, 5)), 1 / math.sqrt(WIDTH))
    mask = np.where(np.tri(3, 5, 2, dtype=bool), 0, LOWEST).astype(np.float32)[None, None]
    return b.MatMul(b.Softmax(b.Add(scores, mask), axis=-1), _repeat(b, v, 2, 5))


def _half(b: Builder) -> str:
    """Llama in f16: the softmax in f32."""
    q, k, v = _qkv(b)
    scores = b.Mul(_scores(b, q, k), 0.25)
    weights = b.Softmax(b.Cast(scores, to=TensorProto.FLOAT), axis=-1)
    return b.MatMul(b.Cast(weights, to=TensorProto.FLOAT16), v)


def _angles(rows: int, width: int) -> np.ndarray:
    return np.outer(np.arange(rows), 10000.0 ** (-np.arange(width // 2) * 2 / width)).astype(np.float32)


def _rotary_llama(b: Builder) -> str:
    x, angles = b.input(BATCH, HEADS, ROWS, WIDTH), np.concatenate([_angles(ROWS, WIDTH)] * 2, -1)[None, None]
    low, high = b.Slice(x, [0], [WIDTH // 2], [3], [1]), b.Slice(x, [WIDTH // 2], [2**60], [3], [1])
    rotated = b.Concat(b.Neg(high), low, axis=-1)
    return b.Add(b.Mul(x, np.cos(angles)), b.Mul(rotated, np.sin(angles)))


def _rotary_computed(b: Builder) -> str:
    """Cosine and sine depend on the positions, and broadcast over heads; halves by Split."""
    x = b.input(BATCH, HEADS, ROWS, WIDTH)
    angle = b.input(BATCH, 1, ROWS, WIDTH)
    low, high = b.nodes_of("Split", [x, [WIDTH // 2, WIDTH // 2]], 2, {"axis": -1})
    rotated = b.Concat(b.Neg(high), low, axis=-1)
    return b.Add(b.Mul(x, b.Cos(angle)), b.Mul(rotated, b.Sin(angle)))


def _rotary_gptj(b: Builder) -> str:
    """Neighbours are pairs."""
    x, angles = b.input(BATCH, ROWS, HEADS, WIDTH), np.repeat(_angles(ROWS, WIDTH), 2, -1)[None, :, None]
    even, odd = (b.Slice(x, [start], [2**60], [3], [2]) for start in (0, 1))
    pairs = b.Concat(b.Unsqueeze(b.Neg(odd), [4]), b.Unsqueeze(even, [4]), axis=-1)
    rotated = b.Reshape(pairs, [BATCH, ROWS, HEADS, WIDTH])
    return b.Add(b.Mul(x, np.cos(angles)), b.Mul(rotated, np.sin(angles)))


def _rotary_partial(b: Builder) -> str:
    """GPT-NeoX: only the first elements are turned."""
    x, angles = b.input(BATCH, HEADS, ROWS, WIDTH), np.concatenate([_angles(ROWS, 4)] * 2, -1)[None, None]
    first, rest = b.Slice(x, [0], [4], [3], [1]), b.Slice(x, [4], [2**60], [3], [1])
    low, high = b.Slice(first, [0], [2], [3], [1]), b.Slice(first, [2], [2**60], [3], [1])
    rotated = b.Concat(b.Neg(high), low, axis=-1)
    turned = b.Add(b.Mul(first, np.cos(angles)), b.Mul(rotated, np.sin(angles)))
    return b.Concat(turned, rest, axis=-1)


def _rotary_halves(b: Builder) -> str:
    """The function body of ONNX's RotaryEmbedding: factors of half the width."""
    x, angles = b.input(BATCH, HEADS, ROWS, WIDTH), _angles(ROWS, WIDTH)[None, None]
    cos, sin = b.operand(np.cos(angles)), b.operand(np.sin(angles))
    low, high = b.nodes_of("Split", [x, [WIDTH // 2, WIDTH // 2]], 2, {"axis": -1})
    real = b.Sub(b.Mul(cos, low), b.Mul(sin, high))
    return b.Concat(real, b.Add(b.Mul(sin, low), b.Mul(cos, high)), axis=-1)


def _form(write: Any, *others: str, dtype: type = np.float32, **found: Any) -> Form:
    return Form(write, [*others, "attention"], dtype, found)


ATTENTION = {
    "plain": _form(_plain, scale=1.0, mask=None, causal=False),
    "bert_torchscript": _form(
        _bert_torchscript, *["matmul"] * 3, *["transpose"] * 4, scale=WIDTH**-0.5, mask="f32", causal=False
    ),
    "tensorflow": _form(_tensorflow, "sub", "mul", scale=WIDTH**-0.5, mask="f32"),
    "gpt2_where": _form(_gpt2_where, causal=True, mask=None, scale=WIDTH**-0.5),
    "gpt2_optimum": _form(_gpt2_optimum, causal=True, mask="f32"),
    "two_masks": _form(_two_masks, "or", "add", "where", causal=False, mask="f32"),
    "window_and_padding": _form(_window_and_padding, "add", "where", causal=False, mask="f32"),
    "masked_fill": _form(_masked_fill, "and", "not", mask="i1", fill=-10000.0),
    "causal_added": _form(_causal_added, causal=True, mask=None),
    "sdpa_torchscript": _form(_sdpa_torchscript, scale=WIDTH**-0.5, mask="f32", safe=False),
    "sdpa_dynamo": _form(_sdpa_dynamo, scale=0.25, mask="f32", safe=True),
    "clip_bmm": _form(_clip_bmm, scale=0.25, mask=None),
    "t5": _form(_t5, scale=1.0, mask="f32"),
    "llama_grouped": _form(_llama_grouped, causal=True, mask=None, heads=2),
    "half": _form(_half, dtype=np.float16, scale=0.25),
}
ROTARY = {
    "rotary_llama": Form(_rotary_llama, ["rotary_embedding"]),
    "rotary_computed": Form(_rotary_computed, ["cos", "sin", "rotary_embedding"]),
    "rotary_partial": Form(_rotary_partial, ["slice", "slice", "rotary_embedding", "concat"]),
    "rotary_halves": Form(_rotary_halves, ["concat", "concat", "rotary_embedding"]),
    "rotary_gptj": Form(_rotary_gptj, ["rotary_embedding"], found={"interleaved": True}),
}
