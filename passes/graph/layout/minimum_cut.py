"""The cheapest choice of two labels for many items, as a minimum cut.

An item on the source's side of the cut is True. Costs of single items are edges to the terminals; what all
readers of a value share is a separate node, so that it is paid once. The maximum flow is Dinic's (Soviet
Math. Doklady 11, 1970).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

SOURCE, SINK = 0, 1


class LayoutCut:
    """Items with two labels, costs between them, and the choice of least total cost."""

    def __init__(self) -> None:
        # Edges are stored in pairs: edge i ^ 1 is the reverse of edge i.
        self.ends: list[int] = []
        self.room: list[float] = []
        self.edges: list[list[int]] = [[], []]

    def item(self, when_false: float = 0.0, when_true: float = 0.0) -> int:
        """A new item with its costs; its index, by which the other methods refer to it."""
        self.edges.append([])
        item = len(self.edges) - 1
        self._edge(SOURCE, item, when_false)
        self._edge(item, SINK, when_true)
        return item

    def pay_when_true(self, item: int, others: Iterable[int], cost: float) -> None:
        """`cost`, once, if `item` is True and any of `others` is False."""
        shared = self.item()
        self._edge(item, shared, cost)
        for other in others:
            self._edge(shared, other, inf)

    def pay_when_false(self, item: int, others: Iterable[int], cost: float) -> None:
        """`cost`, once, if `item` is False and any of `others` is True. `SINK` is an item that is always
        False."""
        shared = self.item()
        self._edge(shared, item, cost)
        for other in others:
            self._edge(other, shared, inf)

    def solve(self) -> list[bool]:
        """The label of every item, by its index. Among equally cheap choices, the one with most Trues."""
        while (level := self._levels(SOURCE, forward=True))[SINK] >= 0:
            cursor = [0] * len(self.edges)
            while self._augment(level, cursor):
                pass
        to_sink = self._levels(SINK, forward=False)
        return [distance < 0 for distance in to_sink]

    def _edge(self, start: int, end: int, room: float) -> None:
        for node, other, amount in ((start, end, room), (end, start, 0.0)):
            self.edges[node].append(len(self.ends))
            self.ends.append(other)
            self.room.append(amount)

    def _levels(self, start: int, forward: bool) -> list[int]:
        """Distances from `start` (to it, if not forward) along edges with room left; -1 where there is no
        way."""
        level = [-1] * len(self.edges)
        level[start] = 0
        reached = [start]
        for node in reached:
            for edge in self.edges[node]:
                if level[self.ends[edge]] < 0 and self.room[edge if forward else edge ^ 1] > 0:
                    level[self.ends[edge]] = level[node] + 1
                    reached.append(self.ends[edge])
        return level

    def _augment(self, level: list[int], cursor: list[int]) -> bool:
        """Sends flow along one shortest way; False if there is none left."""
        path: list[int] = []
        node = SOURCE
        while node != SINK:
            while cursor[node] < len(self.edges[node]):
                edge = self.edges[node][cursor[node]]
                if self.room[edge] > 0 and level[self.ends[edge]] == level[node] + 1:
                    break
                cursor[node] += 1
            else:
                if not path:
                    return False
                node = self.ends[path.pop() ^ 1]
                cursor[node] += 1
                continue
            path.append(edge)
            node = self.ends[edge]
        flow = min(self.room[edge] for edge in path)
        for edge in path:
            self.room[edge] -= flow
            self.room[edge ^ 1] += flow
        return True
