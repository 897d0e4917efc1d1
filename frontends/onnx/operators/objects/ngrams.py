"""The n-grams of TfIdfVectorizer's pool as a tree of prefixes, one table of states for each length."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mlc.frontends.onnx.node import Node, NodeFailure, Unsupported


@dataclass(frozen=True)
class Level:
    """The prefixes of one length, sorted by key: the number of the shorter prefix times (tokens + 1), plus
    that of the last token. `columns`: where each counts in the result, and one more for all others."""

    keys: np.ndarray
    columns: np.ndarray


@dataclass(frozen=True)
class Pool:
    """`tokens`: the different tokens of the n-grams, sorted; their numbers are their places. `levels[n - 1]`
    are the prefixes of n tokens; `width` is the number of columns, `indexes` are
    those of all n-grams."""

    tokens: np.ndarray
    levels: tuple[Level, ...]
    width: int
    indexes: np.ndarray

    def column_weights(self, weights: np.ndarray) -> np.ndarray:
        """The weight of each column, of one per n-gram. Raises Unsupported where a column has several."""
        columns = np.zeros(self.width, np.float32)
        columns[self.indexes] = weights
        if (columns[self.indexes] != weights).any():
            raise Unsupported("n-grams of different weights that count in one column are not supported")
        return columns


def read_pool(node: Node) -> Pool:
    """The n-grams of min_gram_length to max_gram_length tokens. Raises NodeFailure."""
    if "pool_strings" in node.attributes:
        items = node.text_numbers(node.attr("pool_strings"))
    else:
        items = np.asarray(node.attr("pool_int64s"), np.int64)
    indexes = np.asarray(node.attr("ngram_indexes"), np.int64)
    if not indexes.size or indexes.min() < 0:
        raise NodeFailure("ngram_indexes must be numbers of columns, at least one")
    least, most = int(node.attr("min_gram_length")), int(node.attr("max_gram_length"))
    if not 1 <= least <= most:
        raise NodeFailure(f"n-grams of {least} to {most} tokens do not exist")
    groups = _groups(items, node.attr("ngram_counts"))
    if sum(map(len, groups)) != len(indexes):
        raise NodeFailure(f"the pool has {sum(map(len, groups))} n-grams, but ngram_indexes {len(indexes)}")
    ends = np.cumsum([len(each) for each in groups])
    columns = [indexes[end - len(each) : end] for each, end in zip(groups, ends, strict=True)]
    used = range(least - 1, min(most, len(groups)))
    tokens = np.unique(np.concatenate([groups[each].reshape(-1) for each in used] or [items[:0]]))
    width = int(indexes.max()) + 1
    chosen = [(np.searchsorted(tokens, groups[each]), columns[each]) for each in used]
    return Pool(tokens, _levels(chosen, len(tokens) + 1, width), width, indexes)


def _groups(items: np.ndarray, starts: list[int]) -> list[np.ndarray]:
    """For n = 1, 2, ... the n-grams `[count, n]`, of which `starts` says where they begin in the pool."""
    bounds = [*starts, len(items)]
    if bounds != sorted(bounds) or bounds[0] < 0:
        raise NodeFailure(f"ngram_counts {list(starts)} do not divide a pool of {len(items)} items")
    parts = [items[begin:end] for begin, end in pairwise(bounds)]
    for length, part in enumerate(parts, 1):
        if len(part) % length:
            raise NodeFailure(f"{len(part)} items are no n-grams of {length} tokens")
    return [part.reshape(-1, length) for length, part in enumerate(parts, 1)]


def _levels(groups: list[tuple[np.ndarray, np.ndarray]], radix: int, width: int) -> tuple[Level, ...]:
    levels: list[Level] = []
    groups = [each for each in groups if len(each[0])]
    states = [np.zeros(len(grams), np.int64) for grams, _ in groups]
    for length in range(1, max((grams.shape[1] for grams, _ in groups), default=0) + 1):
        open_groups = [place for place, (grams, _) in enumerate(groups) if grams.shape[1] >= length]
        found = [states[each] * radix + groups[each][0][:, length - 1] for each in open_groups]
        keys = np.unique(np.concatenate(found))
        columns = np.full(len(keys) + 1, width, np.int64)
        for place, own in zip(open_groups, found, strict=True):
            states[place] = np.searchsorted(keys, own)
            if groups[place][0].shape[1] == length:
                # Of equal n-grams the last one counts.
                columns[states[place]] = groups[place][1]
        levels.append(Level(keys, columns))
    return tuple(levels)
