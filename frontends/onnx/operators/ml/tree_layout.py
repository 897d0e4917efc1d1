"""The order of nodes and leaves in the tables of `graph.tree_ensemble`.

The children of a node are neighbours, so that it names the first one only. Two leaves are neighbours among
the leaves; any other pair is two nodes, where a leaf, or a node that is elsewhere, is a node that always
leads to it. The trees follow each other, each level by level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Layout:
    """An order of nodes and leaves.

    `nodes`: for each element of the tables the given node that it is, or -1 where it is a leaf or leads to
    its second child. `children`: the first child of each. `positions`: where the given nodes are, -1 for
    those that no root leads to. `rows`: where the given leaves are among the leaves.
    """

    nodes: np.ndarray
    children: np.ndarray
    positions: np.ndarray
    rows: np.ndarray

    def renumber(self, links: np.ndarray) -> np.ndarray:
        """Returns the nodes of the tables for given nodes, and for leaves `-1 - leaf`."""
        return _renumber(links, self.positions, self.rows)


def lay_out(roots: np.ndarray, children: np.ndarray, leaves: int) -> Layout:
    """Orders the nodes with `children` `[nodes, 2]` that `roots` lead to. A negative link is the leaf `-1 -
    link` of `leaves`."""
    order, trees = _breadth_first(roots, children)
    pairs = children[order]
    are_neighbours = _neighbours(pairs)
    rows = _leaf_rows(pairs, are_neighbours, leaves)
    # A root, or the two children of a node, after each other; a tree after the other.
    first_roots = np.unique(roots[roots >= 0], return_index=True)[0]
    links = np.concatenate([first_roots, pairs[~are_neighbours].reshape(-1)])
    owners = np.concatenate([trees[first_roots], np.repeat(trees[order[~are_neighbours]], 2)])
    by_tree = np.argsort(owners, kind="stable")
    position_of_link = np.empty(len(links), np.int64)
    position_of_link[by_tree] = np.arange(len(links))
    links = links[by_tree]

    positions = np.full(len(children), -1, np.int64)
    inner = np.flatnonzero(links >= 0)
    found, first = np.unique(links[inner], return_index=True)
    positions[found] = inner[first]
    holds_node = np.zeros(len(links), bool)
    holds_node[positions[found]] = True

    # A second child is taken always: the first one is the node before what is led to.
    first_children = _renumber(links, positions, rows) - 1
    child = np.empty(len(order), np.int64)
    child[are_neighbours] = rows[-1 - pairs[are_neighbours, 0]] - leaves
    child[~are_neighbours] = position_of_link[len(first_roots) :: 2]
    first_children[positions[order]] = child
    nodes = np.where(holds_node, links, -1)
    own = np.arange(-leaves, 0)
    return Layout(
        np.concatenate([np.full(leaves, -1), nodes]),
        np.concatenate([own - 1, first_children]),
        positions,
        rows,
    )


def _renumber(links: np.ndarray, positions: np.ndarray, rows: np.ndarray) -> np.ndarray:
    is_leaf = links < 0
    nodes = np.empty(links.shape, np.int64)
    nodes[is_leaf] = rows[-1 - links[is_leaf]] - len(rows)
    nodes[~is_leaf] = positions[links[~is_leaf]]
    return nodes


def _breadth_first(roots: np.ndarray, children: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the nodes that roots lead to, tree by tree and level by level, and the tree of each node (-1
    where no root leads to it)."""
    tree_of_node = np.full(len(children), -1)
    nodes, trees = roots, np.arange(len(roots))
    levels = [np.zeros(0, np.int64)]
    while nodes.size:
        is_inner = nodes >= 0
        nodes, trees = nodes[is_inner], trees[is_inner]
        is_new = tree_of_node[nodes] < 0
        nodes, trees = nodes[is_new], trees[is_new]
        first = np.sort(np.unique(nodes, return_index=True)[1])
        nodes, trees = nodes[first], trees[first]
        tree_of_node[nodes] = trees
        levels.append(nodes)
        nodes, trees = children[nodes].reshape(-1), np.repeat(trees, 2)
    order = np.concatenate(levels)
    return order[np.argsort(tree_of_node[order], kind="stable")], tree_of_node


def _neighbours(pairs: np.ndarray) -> np.ndarray:
    """Returns for each pair of children whether they are neighbours among the leaves: both are leaves, which
    no pair of leaves before it has."""
    two = np.flatnonzero((pairs < 0).all(1))
    flat = pairs[two].reshape(-1)
    is_first = np.zeros(len(flat), bool)
    is_first[np.unique(flat, return_index=True)[1]] = True
    found = np.zeros(len(pairs), bool)
    found[two] = is_first.reshape(-1, 2).all(1)
    return found


def _leaf_rows(pairs: np.ndarray, are_neighbours: np.ndarray, leaves: int) -> np.ndarray:
    """Returns where each leaf is among the leaves: in the order of the pairs, those that are none's last."""
    flat, positions = pairs.reshape(-1), np.arange(2 * len(pairs))
    key = np.full(leaves, len(flat))
    for chosen in (flat < 0, (flat < 0) & np.repeat(are_neighbours, 2)):
        # The first position of a leaf that has several, but for that beside its neighbour.
        key[-1 - flat[chosen][::-1]] = positions[chosen][::-1]
    rows = np.empty(leaves, np.int64)
    rows[np.argsort(key, kind="stable")] = np.arange(leaves)
    return rows
