"""TfIdfVectorizer: the counts of the n-grams of a pool in rows of tokens.

The pool becomes a tree of prefixes: one table of states for each length.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.expressions import counting, dim, filled_with, formula, read_along
from mlc.frontends.onnx.operators.common.table_lookup import look_up
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@dataclass(frozen=True)
class Level:
    """The prefixes of one length, sorted by key: the id of the shorter prefix times (tokens + 1), plus the id
    of the last token.

    `columns` holds the result column of each, and one more entry for all other prefixes.
    """

    keys: np.ndarray
    columns: np.ndarray


@dataclass(frozen=True)
class NgramPool:
    """The n-grams of a vectorizer.

    `tokens` are the distinct tokens of the n-grams, sorted; the id of a token is its index. `levels[n - 1]`
    are the prefixes of n tokens; `width` is the number of columns, `indexes` are those of all n-grams.
    """

    tokens: np.ndarray
    levels: tuple[Level, ...]
    width: int
    indexes: np.ndarray

    def column_weights(self, weights: np.ndarray) -> np.ndarray:
        """Returns the weight of each column, from one per n-gram.

        Raises UnsupportedNodeError where a column has several.
        """
        columns = np.zeros(self.width, np.float32)
        columns[self.indexes] = weights
        if (columns[self.indexes] != weights).any():
            raise UnsupportedNodeError(
                "n-grams of different weights that count in one column are not supported"
            )
        return columns


def read_pool(node: Node) -> NgramPool:
    """Returns the n-grams of min_gram_length to max_gram_length tokens. Raises NodeError."""
    if "pool_strings" in node.attributes:
        items = node.string_ids(node.attr("pool_strings"))
    else:
        items = np.asarray(node.attr("pool_int64s"), np.int64)
    indexes = np.asarray(node.attr("ngram_indexes"), np.int64)
    if not indexes.size or indexes.min() < 0:
        raise NodeError("ngram_indexes must be indices of columns, at least one")
    least, most = int(node.attr("min_gram_length")), int(node.attr("max_gram_length"))
    if not 1 <= least <= most:
        raise NodeError(f"n-grams of {least} to {most} tokens do not exist")
    groups = _groups(items, node.attr("ngram_counts"))
    if sum(map(len, groups)) != len(indexes):
        raise NodeError(f"the pool has {sum(map(len, groups))} n-grams, but ngram_indexes {len(indexes)}")
    ends = np.cumsum([len(group) for group in groups])
    columns = [indexes[end - len(group) : end] for group, end in zip(groups, ends, strict=True)]
    used = range(least - 1, min(most, len(groups)))
    tokens = np.unique(np.concatenate([groups[group].reshape(-1) for group in used] or [items[:0]]))
    width = int(indexes.max()) + 1
    node.reserve(width)
    chosen = [(np.searchsorted(tokens, groups[group]), columns[group]) for group in used]
    return NgramPool(tokens, _levels(chosen, len(tokens) + 1, width), width, indexes)


def _groups(items: np.ndarray, starts: list[int]) -> list[np.ndarray]:
    """Returns for n = 1, 2, ... the n-grams `[count, n]`, which begin at `starts` in the pool. Raises
    NodeError."""
    bounds = [*starts, len(items)]
    if bounds != sorted(bounds) or bounds[0] < 0:
        raise NodeError(f"ngram_counts {list(starts)} do not divide a pool of {len(items)} items")
    parts = [items[begin:end] for begin, end in pairwise(bounds)]
    for length, part in enumerate(parts, 1):
        if len(part) % length:
            raise NodeError(f"{len(part)} items are no n-grams of {length} tokens")
    return [part.reshape(-1, length) for length, part in enumerate(parts, 1)]


def _levels(groups: list[tuple[np.ndarray, np.ndarray]], radix: int, width: int) -> tuple[Level, ...]:
    levels: list[Level] = []
    groups = [group for group in groups if len(group[0])]
    states = [np.zeros(len(grams), np.int64) for grams, _ in groups]
    for length in range(1, max((grams.shape[1] for grams, _ in groups), default=0) + 1):
        open_groups = [index for index, (grams, _) in enumerate(groups) if grams.shape[1] >= length]
        found = [states[group] * radix + groups[group][0][:, length - 1] for group in open_groups]
        keys = np.unique(np.concatenate(found))
        columns = np.full(len(keys) + 1, width, np.int64)
        for index, own in zip(open_groups, found, strict=True):
            states[index] = np.searchsorted(keys, own)
            if groups[index][0].shape[1] == length:
                # Of equal n-grams the last one counts.
                columns[states[index]] = groups[index][1]
        levels.append(Level(keys, columns))
    return tuple(levels)


_MODES = ("TF", "IDF", "TFIDF")


@onnx_operator("TfIdfVectorizer", since=9)
def tf_idf_vectorizer(node: Node) -> Value:
    """Imports TfIdfVectorizer.

    Each position of a row begins n-grams of any length and distance of their tokens: a search per token finds
    the prefix that they form, and those of the pool are counted by scattering.
    """
    x, mode, pool = node.input(0), node.attr("mode"), read_pool(node)
    if ("pool_strings" in node.attributes) != (x.onnx_type == TensorProto.STRING):
        raise NodeError("one of the pool and the input are strings, the other is not")
    if x.onnx_type == TensorProto.STRING:
        x = node.ids_of(x)
    if mode not in _MODES:
        raise NodeError(f"mode must be TF, IDF or TFIDF, not {mode!r}")
    if x.rank > 2 or (x.rank == 2 and x.shape[0] == 0):
        raise NodeError(f"the input of shape {x.shape_text} is neither [C] nor [B, C]")
    rows = node.reshape(x, [1] * (2 - x.rank) + list(x.shape))
    token_ids = _find(node, node.cast(rows, TensorProto.INT64), pool.tokens)
    counts = _apply_weights(node, _count(node, pool, token_ids), mode, pool)
    return node.reshape(counts, [*x.shape[:-1], pool.width])


def _count(node: Node, pool: NgramPool, token_ids: Value) -> Value:
    """Returns how often each column's n-grams occur in each row: `[rows, columns]` of f32."""
    # The last column counts prefixes that belong to no column.
    counts = filled_with(node, [token_ids.shape[0], pool.width + 1], 0.0, TensorProto.FLOAT)
    least = int(node.attr("min_gram_length"))
    state: Value | None = None
    for size, level in enumerate(pool.levels, 1):
        state = _find(node, _keys(node, pool, token_ids, state, size), level.keys)
        if size >= least:
            counts = _add_counts(node, counts, level, state)
    return node.emit("slice", counts, starts=[0, 0], sizes=[-1, pool.width], steps=[1, 1])


def _keys(node: Node, pool: NgramPool, token_ids: Value, state: Value | None, size: int) -> Value:
    """Returns the keys of the n-grams of `size` tokens that begin at each position: `[rows, distances,
    positions]`.

    Single tokens, which have no distance between them, have `[rows, 1, positions]`.
    """
    rows, length = token_ids.shape
    if state is None:
        return node.reshape(token_ids, [rows, 1, length])
    most = int(node.attr("max_skip_count")) + 1
    # Distances that reach no second token are left out.
    count = min(most, max(length - 1, 1)) if isinstance(length, int) else most
    distances = counting(node, count).along(0, 2) + 1
    positions, end = counting(node, length).along(1, 2) + distances * (size - 1), dim(node, length)
    tokens = read_along(
        formula(node, token_ids), 1, positions.within(0, end - 1), positions < end, len(pool.tokens)
    )
    return (formula(node, state) * (len(pool.tokens) + 1) + tokens).value


def _find(node: Node, x: Value, keys: np.ndarray) -> Value:
    """Returns the index of each element among sorted keys; the number of keys for elements that are none of
    them."""
    return look_up(node, x, keys, np.arange(len(keys)), np.int64(len(keys)))


def _add_counts(node: Node, counts: Value, level: Level, state: Value) -> Value:
    """Adds one to the count of the column of each state, `[rows, positions...]`."""
    columns = node.emit("gather", node.constant(level.columns), state, axis=0)
    rows, distances, length = state.shape
    flat = [rows, distances * length]
    ones = filled_with(node, flat, 1.0, TensorProto.FLOAT)
    return node.emit("scatter_elements", counts, node.reshape(columns, flat), ones, axis=1, reduction="add")


def _apply_weights(node: Node, counts: Value, mode: str, pool: NgramPool) -> Value:
    """Returns the counts, or whether they are positive, times the weights."""
    if mode == "IDF":
        counts = node.cast(node.emit("greater", counts, node.scalar(0, counts)), counts.onnx_type)
    weights = np.asarray(node.attr("weights", ()), np.float32)
    if mode == "TF" or not weights.size:
        return counts
    if len(weights) != len(pool.indexes):
        raise NodeError(f"there are {len(weights)} weights for {len(pool.indexes)} n-grams")
    return node.emit("mul", counts, node.constant(pool.column_weights(weights)))
