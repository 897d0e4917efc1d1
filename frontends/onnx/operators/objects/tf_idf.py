"""TfIdfVectorizer: how often each n-gram of a pool is in a row of tokens."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.common.expressions import counting, dim, filled_with, formula, read_along
from mlc.frontends.onnx.operators.common.table_lookup import looked_up
from mlc.frontends.onnx.operators.objects.ngrams import Level, Pool, read_pool
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

_MODES = ("TF", "IDF", "TFIDF")


@onnx_operator("TfIdfVectorizer", since=9)
def tf_idf_vectorizer(node: Node) -> Value:
    """Each place of a row begins n-grams of any length and distance of their tokens: a search per token finds
    the prefix that they make, and those of the pool are counted by scattering."""
    x, mode, pool = node.input(0), node.attr("mode"), read_pool(node)
    if ("pool_strings" in node.attributes) != (x.number == TensorProto.STRING):
        raise NodeFailure("one of the pool and the input are strings, the other is not")
    if x.number == TensorProto.STRING:
        x = node.numbers(x)
    if mode not in _MODES:
        raise NodeFailure(f"mode must be TF, IDF or TFIDF, not {mode!r}")
    if x.rank > 2:
        raise NodeFailure(f"the input has rank {x.rank}, which is more than 2")
    rows = node.reshape(x, [1] * (2 - x.rank) + list(x.shape))
    numbers = _found(node, node.cast(rows, TensorProto.INT64), pool.tokens)
    counts = _weighted(node, _counted(node, pool, numbers), mode, pool)
    return node.reshape(counts, [*x.shape[:-1], pool.width])


def _counted(node: Node, pool: Pool, numbers: Value) -> Value:
    """How often each column's n-grams are in each row: `[rows, columns]` of f32."""
    # What counts for no column goes behind them.
    counts = filled_with(node, [numbers.shape[0], pool.width + 1], 0.0, TensorProto.FLOAT)
    least = int(node.attr("min_gram_length"))
    state: Value | None = None
    for size, level in enumerate(pool.levels, 1):
        state = _found(node, _keys(node, pool, numbers, state, size), level.keys)
        if size >= least:
            counts = _added(node, counts, level, state)
    return node.emit("slice", counts, starts=[0, 0], sizes=[-1, pool.width], steps=[1, 1])


def _keys(node: Node, pool: Pool, numbers: Value, state: Value | None, size: int) -> Value:
    """What the n-grams of `size` tokens that begin at each place are known by: `[rows, distances, places]`,
    of single tokens, which no distance is between, `[rows, 1, places]`."""
    rows, length = numbers.shape
    if state is None:
        return node.reshape(numbers, [rows, 1, length])
    most = int(node.attr("max_skip_count")) + 1
    # Those that reach no second token are left out.
    count = min(most, max(length - 1, 1)) if isinstance(length, int) else most
    distances = counting(node, count).along(0, 2) + 1
    places, end = counting(node, length).along(1, 2) + distances * (size - 1), dim(node, length)
    tokens = read_along(formula(node, numbers), 1, places.within(0, end - 1), places < end, len(pool.tokens))
    return (formula(node, state) * (len(pool.tokens) + 1) + tokens).value


def _found(node: Node, x: Value, keys: np.ndarray) -> Value:
    """The place of each element among sorted keys; their number for what is none of them."""
    return looked_up(node, x, keys, np.arange(len(keys)), np.int64(len(keys)))


def _added(node: Node, counts: Value, level: Level, state: Value) -> Value:
    """The counts with one more for the column of each state, `[rows, places...]`."""
    columns = node.emit("gather", node.constant(level.columns), state, axis=0)
    rows, distances, length = state.shape
    flat = [rows, distances * length]
    ones = filled_with(node, flat, 1.0, TensorProto.FLOAT)
    return node.emit("scatter_elements", counts, node.reshape(columns, flat), ones, axis=1, reduction="add")


def _weighted(node: Node, counts: Value, mode: str, pool: Pool) -> Value:
    """The counts, or whether there are any, times the weights."""
    if mode == "IDF":
        counts = node.cast(node.emit("greater", counts, node.scalar(0, counts)), counts.number)
    weights = np.asarray(node.attr("weights", ()), np.float32)
    if mode == "TF" or not weights.size:
        return counts
    if len(weights) != len(pool.indexes):
        raise NodeFailure(f"there are {len(weights)} weights for {len(pool.indexes)} n-grams")
    return node.emit("mul", counts, node.constant(pool.column_weights(weights)))
