"""The order of nodes and leaves in the tables of trees: the same decisions lead to the same leaves."""

from __future__ import annotations

import numpy as np
import pytest

from mlc.frontends.onnx.operators.ml.tree_layout import Layout, lay_out

LEAVES = 12


def graph_of_nodes(rng: np.random.Generator, count: int, shared: bool) -> tuple[np.ndarray, np.ndarray]:
    """Returns roots, and children of nodes that have several parents if `shared`; a node's are after it."""
    roots = rng.integers(-LEAVES, count, 5) if count else rng.integers(-LEAVES, 0, 5)
    if shared:
        children = rng.integers(-LEAVES, max(count, 1), (count, 2))
        before = children <= np.arange(count)[:, None]
        return roots, np.where(before, rng.integers(-LEAVES, 0, children.shape), children)
    # A node or leaf is the child of one parent: a complete tree below each root.
    inner = LEAVES // 4 - 1
    tree = np.arange(2 * inner).reshape(2, inner)
    local = 2 * np.arange(inner)[:, None] + [1, 2]
    below = [np.where(local < inner, local + first, -1 - (local - inner + 3 * first)) for first in tree[:, 0]]
    return tree[:, 0], np.concatenate(below)


def leaf_of(node: int, children: np.ndarray, second: np.ndarray) -> int:
    """Returns the leaf to which the decisions `second`, one per node, lead."""
    while node >= 0:
        node = children[node, int(second[node])]
    return -1 - node


def row_of(start: int, layout: Layout, second: np.ndarray, steps: int) -> int:
    """Returns the row of the leaf that `steps` steps in the tables lead to; nodes that are no given ones, and
    leaves, go to the second child."""
    for _ in range(steps):
        element = LEAVES + start
        node = layout.nodes[element]
        start = layout.children[element] + int(node < 0 or second[node])
    return LEAVES + start


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_decisions_lead_to_the_same_leaves(seed: int, shared: bool) -> None:
    rng = np.random.default_rng(seed)
    roots, children = graph_of_nodes(rng, 3 * seed, shared)
    layout = lay_out(roots, children, LEAVES)
    assert sorted(layout.rows) == list(range(LEAVES))
    inner = layout.nodes[layout.nodes >= 0]
    assert len(set(inner.tolist())) == len(inner) and (layout.nodes[:LEAVES] == -1).all()
    for _ in range(50):
        second = rng.random(len(children)) < 0.5
        for root, start in zip(roots, layout.renumber(roots), strict=True):
            leaf = leaf_of(root, children, second)
            assert row_of(int(start), layout, second, 2 * len(children) + 2) == layout.rows[leaf]


def test_neighbours_among_leaves_need_no_nodes() -> None:
    """A complete tree has no more nodes than it has decisions; a leaf beside a node takes one."""
    complete = np.array([[1, 2], [-1, -2], [-3, -4]])
    assert len(lay_out(np.array([0]), complete, 4).nodes) == 4 + 3
    beside = np.array([[1, -3], [-1, -2]])
    assert len(lay_out(np.array([0]), beside, 3).nodes) == 3 + 3


def test_a_leaf_of_two_pairs_has_one_row() -> None:
    shared = np.array([[1, 2], [-1, -2], [-2, -3]])
    layout = lay_out(np.array([0]), shared, 3)
    assert layout.rows.tolist() == [0, 1, 2]
    assert len(layout.nodes) == 3 + 5
