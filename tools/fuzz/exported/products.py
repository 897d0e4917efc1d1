"""Matrix products before and after transposes, with open rows, batches, columns and inner dims."""

from __future__ import annotations

import numpy as np

from mlc.tools.fuzz.exported.idioms import activation, concat_shape, layer_norm, linear
from mlc.tools.fuzz.exported.model_draw import Dim, ModelDraw

_STATIC = (1, 3, 8, 16, 17, 32, 48, 65)


def draw(m: ModelDraw) -> None:
    """Draws a chain of one to three products."""
    m.pick(_stack, _stack, _einsum, _flat, _mixer, _pool_by_scores)(m)


def _rows(m: ModelDraw, name: str, share: float = 0.6) -> Dim:
    return m.dim(name, _STATIC, share=share)


def _stack(m: ModelDraw) -> None:
    """Two inputs of rank 2 to 4, each perhaps transposed, a product, an epilogue, a transpose."""
    rank = m.pick(2, 3, 3, 4)
    rows, inner, columns = _rows(m, "rows"), _rows(m, "inner", 0.4), _rows(m, "columns")
    batch: list[Dim] = [m.dim("batch", (1, 2, 3)), m.pick(1, 2, 4)][: rank - 2]
    a = _operand(m, "a", batch, rows, inner)
    own = [] if m.chance(0.2) else batch
    b = _operand(m, "b", own, inner, columns)
    if m.chance(0.3):
        a = m.op("Softmax", a, axis=-1)
    y = m.op("MatMul", a, b)
    if m.chance(0.4):
        y = m.op("Mul", y, m.constant(0.25, np.float32))
    if m.chance(0.4):
        y = activation(m, y)
    if m.chance(0.3):
        y = m.op("Add", y, m.input("bias", [*m.pick([rows], [1], [rows])[: rank - 1], columns]))
    m.output(m.op("Transpose", y, perm=_permutation(m, rank)) if m.chance(0.6) else y)
    if m.chance(0.15):
        m.output(y)


def _operand(m: ModelDraw, name: str, batch: list[Dim], rows: Dim, columns: Dim) -> str:
    """An input that is a matrix after at most one transpose."""
    dims = [*batch, rows, columns]
    if not m.chance(0.6):
        return m.input(name, dims)
    order = _permutation(m, len(dims))
    inverse = [order.index(axis) for axis in range(len(dims))]
    return m.op("Transpose", m.input(name, [dims[axis] for axis in inverse]), perm=order)


def _permutation(m: ModelDraw, rank: int) -> list[int]:
    if m.chance(0.5):
        return [*range(rank - 2), rank - 1, rank - 2]
    return [int(axis) for axis in m.rng.permutation(rank)]


def _einsum(m: ModelDraw) -> None:
    """A product of letters, as dispatch and relative positions are written."""
    equation = m.pick(
        "bqhd,bkhd->bhqk",
        "bhqk,bkhd->bqhd",
        "bij,bjk->bik",
        "bij,bkj->bki",
        "bid,bjd->bij",
        "bhid,ijd->bhij",
        "bi,bj->bij",
        "bijc,cd->bijd",
        "bcij,bcj->bci",
        "bnd,de->ben",
    )
    sizes: dict[str, Dim] = {letter: m.pick(2, 3, 8, 16) for letter in "hcden"}
    sizes |= {"b": m.dim("batch", (1, 2)), "i": _rows(m, "i"), "j": _rows(m, "j"), "q": _rows(m, "q")}
    sizes |= {"k": _rows(m, "k")}
    operands = equation.partition("->")[0].split(",")
    names = [
        m.input(f"x{index}", [sizes[letter] for letter in letters]) for index, letters in enumerate(operands)
    ]
    y = m.op("Einsum", *names, equation=equation)
    m.output(m.op("Relu", y) if m.chance(0.4) else y)


def _flat(m: ModelDraw) -> None:
    """Leading dims folded into rows for a Gemm, and unfolded after it."""
    width, result = m.pick(8, 16, 24, 33), m.pick(1, 3, 8, 16, 40)
    x = m.input("x", [m.dim("batch", (1, 2)), m.dim("sequence", (3, 16)), width])
    source = activation(m, x) if m.chance(0.3) else x
    shape = m.constant([-1, width]) if m.chance(0.5) else concat_shape(m, [-1, width])
    flat = m.op("Reshape", source, shape)
    transposed = m.pick(0, 1)
    weights = m.weight(*((result, width) if transposed else (width, result)), fan_in=width)
    y = m.op("Gemm", flat, weights, m.weight(result), transB=transposed, alpha=m.pick(None, 0.5))
    y = activation(m, y) if m.chance(0.5) else y
    y = m.op("Reshape", y, concat_shape(m, [(x, 0), (x, 1), result]))
    if m.chance(0.5):
        y = m.op("Transpose", y, perm=m.pick([0, 2, 1], [1, 0, 2], [2, 0, 1]))
    m.output(y)


def _mixer(m: ModelDraw) -> None:
    """A perceptron over tokens, whose count is static, and one over channels."""
    tokens, width, inner = m.pick(9, 16, 49), m.pick(8, 16, 24), m.pick(4, 16, 33)
    x = m.input("x", [m.dim("batch", (1, 2)), tokens, width])
    moved = m.op("Transpose", layer_norm(m, x, width), perm=[0, 2, 1])
    mixed = linear(m, activation(m, linear(m, moved, tokens, inner)), inner, tokens)
    x = m.op("Add", x, m.op("Transpose", mixed, perm=[0, 2, 1]))
    m.output(
        m.op(
            "Add", x, linear(m, activation(m, linear(m, layer_norm(m, x, width), width, inner)), inner, width)
        )
    )


def _pool_by_scores(m: ModelDraw) -> None:
    """Pooling by scores: a softmax over an open axis, then a product with the values."""
    width, heads = m.pick(8, 16, 33), m.pick(1, 3, 8)
    batch, length = m.dim("batch", (1, 2, 3)), m.dim("sequence", (7, 16, 33))
    x = m.input("x", [batch, length, width])
    scores = linear(m, x, width, heads)
    if m.chance(0.5):
        weights = m.op("Transpose", m.op("Softmax", scores, axis=1), perm=[0, 2, 1])
    else:
        weights = m.op("Softmax", m.op("Transpose", scores, perm=[0, 2, 1]), axis=2)
    y = m.op("MatMul", weights, x)
    if m.chance(0.5):
        y = m.op("Reshape", y, m.constant([m.pick(-1, 0), heads * width]))
        y = linear(m, y, heads * width, 5)
    m.output(y)
