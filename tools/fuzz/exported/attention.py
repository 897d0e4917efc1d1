"""Attention layers: projections, splits into heads, scales, masks, caches of keys, and the output."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from mlc.tools.fuzz.exported.idioms import (
    Part,
    concat_shape,
    layer_norm,
    linear,
    reshape,
    scalar_size,
    size_of_axis,
    static_size,
)
from mlc.tools.fuzz.exported.model_draw import Dim, ModelDraw, integers, normal, prefix_mask

_LENGTHS = (1, 7, 16, 17, 33, 49, 50, 64)
_LONG = (197, 257)
_BATCHES = (1, 2, 3)
_LEAST = -1e4, float(np.finfo(np.float32).min), -np.inf


@dataclass(frozen=True)
class Layer:
    """The sizes of a layer. `memory` is the length of the keys, the queries' own in self-attention."""

    batch: Dim
    length: Dim
    memory: Dim
    heads: int
    groups: int
    width: int

    @property
    def hidden(self) -> int:
        """The width of all heads."""
        return self.heads * self.width


def draw(m: ModelDraw) -> None:
    """Draws a layer of attention."""
    if m.chance(0.2):
        sequence_first(m)
        return
    layer = _layer(m)
    x = m.input("x", [layer.batch, layer.length, layer.hidden])
    is_cross = layer.memory is not layer.length
    memory = m.input("memory", [layer.batch, layer.memory, layer.hidden]) if is_cross else x
    if m.chance(0.3):
        normed = layer_norm(m, x, layer.hidden)
        x, memory = normed, memory if is_cross else normed
    q, k, v = _heads(m, layer, x, memory)
    keys, k, v = _cache(m, layer, k, v)
    k, v = (_repeat(m, layer, value) for value in (k, v))
    scores = _scores(m, layer, q, k)
    scores = _mask(m, layer, x, memory, scores, cached=keys is not layer.memory)
    probabilities = m.op("Softmax", scores, axis=3 if m.chance(0.2) else -1)
    if m.chance(0.1):
        is_nan = m.op("IsNaN", probabilities)
        probabilities = m.op("Where", is_nan, m.constant(0, np.float32), probabilities)
    m.output(_output(m, layer, x, m.op("MatMul", probabilities, v)))


def _layer(m: ModelDraw) -> Layer:
    batch = m.dim("batch", _BATCHES)
    lengths = _LONG if m.chance(0.15) else _LENGTHS
    length = m.dim("sequence", lengths, (1, 2, 3, 15, 16, 17, 31, 33, 49, 64))
    memory = m.dim("encoder", lengths, (1, 2, 16, 17, 33, 50)) if m.chance(0.3) else length
    heads = m.pick(1, 2, 3, 4, 6)
    groups = m.pick(*[count for count in (1, 2, 3, heads) if heads % count == 0]) if m.chance(0.3) else heads
    return Layer(
        batch, length, memory, heads, groups, m.pick(8, 32, 40, 64, 80) if heads < 4 else m.pick(8, 16, 32)
    )


def _heads(m: ModelDraw, layer: Layer, x: str, memory: str) -> tuple[str, str, str]:
    """Returns q, k and v as batch x heads x length x width."""
    own = x == memory and layer.groups == layer.heads
    style = m.pick("three", "packed", "split") if own else "three"
    if style == "packed":
        return _packed_heads(m, layer, x)
    if style == "split":
        packed = linear(m, x, layer.hidden, 3 * layer.hidden)
        if m.opset >= 13 and m.chance(0.5):
            parts = m.ops("Split", 3, packed, m.constant([layer.hidden] * 3), axis=-1)
        else:
            parts = [_slice_last(m, packed, index * layer.hidden, layer.hidden) for index in range(3)]
    else:
        width = layer.groups * layer.width
        parts = [linear(m, x, layer.hidden, layer.hidden, m.chance(0.7))]
        parts += [linear(m, memory, layer.hidden, width, m.chance(0.7)) for _ in range(2)]
    counts, lengths = (layer.heads, layer.groups, layer.groups), (layer.length, layer.memory, layer.memory)
    q, k, v = (
        _split_heads(m, layer, part, count, length)
        for part, count, length in zip(parts, counts, lengths, strict=True)
    )
    return q, k, v


def _slice_last(m: ModelDraw, x: str, start: int, size: int) -> str:
    end = start + size
    return m.op("Slice", x, m.constant([start]), m.constant([end]), m.constant([m.pick(-1, 2)]))


def _packed_heads(m: ModelDraw, layer: Layer, x: str) -> tuple[str, str, str]:
    """One product, reshaped to batch x length x 3 x heads x width, whose parts are gathered."""
    packed = linear(m, x, layer.hidden, 3 * layer.hidden)
    dims = [layer.batch, layer.length, 3, layer.heads, layer.width]
    split = reshape(m, packed, dims, [(packed, 0), (packed, 1), None, None, None])
    moved = m.op("Transpose", split, perm=[2, 0, 3, 1, 4])
    q, k, v = (m.op("Gather", moved, m.constant(index), axis=0) for index in range(3))
    return q, k, v


def _split_heads(m: ModelDraw, layer: Layer, part: str, heads: int, length: Dim) -> str:
    dims = [layer.batch, length, heads, layer.width]
    split = reshape(m, part, dims, [(part, 0), (part, 1), None, None])
    return m.op("Transpose", split, perm=[0, 2, 1, 3])


def _cache(m: ModelDraw, layer: Layer, k: str, v: str) -> tuple[Dim | None, str, str]:
    """At times appends keys and values to those of earlier tokens. Returns the length of the keys, None if it
    is no dim of an input."""
    if not m.chance(0.25):
        return layer.memory, k, v
    past = m.dim("past", (1, 16, 33), (0, 1, 2, 16, 31, 33))
    shape = [layer.batch, layer.groups, past, layer.width]
    joined = [m.op("Concat", m.input(f"past_{n}", shape), x, axis=2) for n, x in (("key", k), ("value", v))]
    m.output(*joined)
    return None, joined[0], joined[1]


def _repeat(m: ModelDraw, layer: Layer, x: str) -> str:
    """Repeats the heads of grouped keys or values."""
    if layer.groups == layer.heads:
        return x
    times = layer.heads // layer.groups
    wide = m.axes("Unsqueeze", x, [2])
    parts: list[Part] = [(x, 0), layer.groups, times, (x, 2), layer.width]
    if m.chance(0.4):
        ones = [1, 1, times, 1, 1]
        wide = (
            m.op("Expand", wide, m.constant(ones)) if m.chance(0.5) else m.op("Tile", wide, m.constant(ones))
        )
    else:
        wide = m.op("Expand", wide, concat_shape(m, parts))
    return m.op("Reshape", wide, concat_shape(m, [(x, 0), layer.heads, m.pick((x, 2), -1), layer.width]))


def _scores(m: ModelDraw, layer: Layer, q: str, k: str) -> str:
    """Returns q k^T, scaled on one side, both, or after the product."""
    root = layer.width**0.5
    style = m.pick("div", "mul", "query", "both", "read", "none")
    if style == "query":
        q = m.op("Mul", q, m.constant(1 / root, np.float32))
    if style == "both":
        q, k = (m.op("Mul", x, m.constant(root**-0.5, np.float32)) for x in (q, k))
    if style == "read":
        width = m.op("Cast", scalar_size(m, q, 3), to=TensorProto.FLOAT)
        q = m.op("Div", q, m.op("Sqrt", width))
    scores = m.op("MatMul", q, m.op("Transpose", k, perm=[0, 1, 3, 2]))
    if style == "div":
        return m.op("Div", scores, m.constant(root, np.float32))
    return m.op("Mul", scores, m.constant(1 / root, np.float32)) if style == "mul" else scores


def _mask(m: ModelDraw, layer: Layer, x: str, memory: str, scores: str, *, cached: bool) -> str:
    style = m.pick("none", "additive", "input", "where", "triangle", "range", "sums", "bias")
    rows, columns = (scalar_size(m, scores, axis) for axis in (2, 3))
    least = m.constant(m.pick(*_LEAST), np.float32)
    match style:
        case "additive" if not cached:
            mask = m.input("mask", [layer.batch, layer.memory], prefix_mask())
            wide = m.op("Cast", m.axes("Unsqueeze", mask, [1, 2]), to=TensorProto.FLOAT)
            inverse = m.op("Sub", m.constant(1, np.float32), wide)
            factor = m.constant(m.pick(-1e4, float(np.finfo(np.float32).min)), np.float32)
            return m.op("Add", scores, m.op("Mul", inverse, factor))
        case "input" if not cached:
            heads = m.pick(1, layer.heads)
            return m.op(
                "Add", scores, m.input("mask", [layer.batch, heads, layer.length, layer.memory], normal)
            )
        case "where" if not cached:
            mask = m.input("mask", [layer.batch, layer.memory], prefix_mask(np.bool_))
            wide = m.axes("Unsqueeze", m.axes("Unsqueeze", mask, [1]), [2])
            if m.chance(0.5):
                return m.op("Where", wide, scores, least)
            return m.op("Where", m.op("Not", wide), least, scores)
        case "triangle" if m.opset >= 14:
            shape = m.op("Concat", *[m.axes("Unsqueeze", part, [0]) for part in (rows, columns)], axis=0)
            fill = m.op("Expand", m.constant([-1e4], np.float32), shape)
            return m.op("Add", scores, m.op("Trilu", fill, m.constant(1), upper=1))
        case "range":
            row, column = (m.op("Range", m.constant(0), size, m.constant(1)) for size in (rows, columns))
            past = m.op("Sub", columns, rows)
            row = m.axes("Unsqueeze", m.op("Add", row, past), [1])
            later = m.op("Less", row, m.axes("Unsqueeze", column, [0]))
            return m.op("Where", later, m.constant(-1e4, np.float32), scores)
        case "sums" if not cached and layer.memory is layer.length:
            mask = m.input("mask", [layer.batch, layer.memory], integers(0, 2))
            sums = m.op("CumSum", mask, m.constant(1))
            row, column = m.axes("Unsqueeze", sums, [1, 3]), m.axes("Unsqueeze", sums, [1, 2])
            return m.op("Where", m.op("Less", row, column), m.constant(-1e4, np.float32), scores)
        case "bias" if static_size(layer.memory) is not None and not cached:
            # Relative positions: a table for the static lengths, or one row for any.
            length = static_size(layer.length)
            return m.op("Add", scores, m.weight(1, layer.heads, length or 1, static_size(layer.memory) or 1))
        case _:
            return scores


def _output(m: ModelDraw, layer: Layer, x: str, context: str) -> str:
    """Joins the heads, projects, adds the residual."""
    if m.chance(0.2):
        # Sequence first, as in PyTorch's MultiheadAttention.
        moved = m.op("Transpose", context, perm=[2, 0, 1, 3])
        dims = [layer.length, layer.batch, layer.hidden]
        joined = reshape(m, moved, dims, [(moved, 0), (moved, 1), None])
        y = linear(m, joined, layer.hidden, layer.hidden)
        return m.op("Transpose", y, perm=[1, 0, 2])
    moved = m.op("Transpose", context, perm=[0, 2, 1, 3])
    if m.chance(0.3):
        shape = m.op(
            "Concat", size_of_axis(m, x, 0), size_of_axis(m, x, 1), m.constant([layer.hidden]), axis=0
        )
        joined = m.op("Reshape", moved, shape)
    else:
        joined = reshape(m, moved, [layer.batch, layer.length, layer.hidden], [(moved, 0), (moved, 1), None])
    y = joined
    if m.chance(0.7):
        y = linear(m, joined, layer.hidden, layer.hidden)
    if m.chance(0.5):
        y = m.op("Add", y, x)
    return layer_norm(m, y, layer.hidden) if m.chance(0.3) else y


def sequence_first(m: ModelDraw) -> None:
    """PyTorch's MultiheadAttention: length x batch x hidden, heads folded into the batch, products of rank
    3."""
    layer = _layer(m)
    hidden, heads, width = layer.hidden, layer.heads, layer.width
    x = m.input("x", [layer.length, layer.batch, hidden])
    is_cross = layer.memory is not layer.length
    memory = m.input("memory", [layer.memory, layer.batch, hidden]) if is_cross else x
    moved = []
    for source, length in ((x, layer.length), (memory, layer.memory), (memory, layer.memory)):
        part = linear(m, source, hidden, hidden)
        rows = m.op("Mul", scalar_size(m, source, 1), m.constant(heads))
        first = m.constant([-1]) if m.chance(0.3) else size_of_axis(m, source, 0)
        static = static_size(length)
        first = m.constant([static]) if static is not None and m.chance(0.5) else first
        shape = m.op("Concat", first, m.axes("Unsqueeze", rows, [0]), m.constant([width]), axis=0)
        moved.append(m.op("Transpose", m.op("Reshape", part, shape), perm=[1, 0, 2]))
    q, k, v = moved
    q = m.op("Mul", q, m.constant(width**-0.5, np.float32)) if m.chance(0.5) else q
    scores = m.op("MatMul", q, m.op("Transpose", k, perm=[0, 2, 1]))
    if m.chance(0.3):
        mask = m.input("mask", [layer.length, layer.memory])
        scores = m.op("Add", scores, m.axes("Unsqueeze", mask, [0]) if m.chance(0.5) else mask)
    probabilities = m.op("Softmax", scores, axis=-1)
    if m.chance(0.2):
        # The weights, averaged over the heads, are a second output.
        shape = concat_shape(m, [(x, 1), heads, (x, 0), (memory, 0)])
        weights = m.op("Reshape", probabilities, shape)
        m.output(m.axes("ReduceMean", weights, [1], since=18, keepdims=0))
    context = m.op("Transpose", m.op("MatMul", probabilities, v), perm=[1, 0, 2])
    joined = m.op("Reshape", context, concat_shape(m, [(x, 0), (x, 1), hidden]))
    if m.chance(0.4):
        flat = m.op("Reshape", joined, m.constant([-1, hidden]))
        joined = m.op("Gemm", flat, m.weight(hidden, hidden), m.weight(hidden), transB=m.pick(0, 1))
        joined = m.op("Reshape", joined, concat_shape(m, [(x, 0), (x, 1), hidden]))
    m.output(joined)
