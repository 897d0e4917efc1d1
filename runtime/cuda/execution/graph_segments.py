"""Stretches of steps that the device runs without the host: each is a CUDA graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.runtime.cuda.driver.graphs import Graph
from mlc.runtime.cuda.driver.streams import Stream

Enqueue = Callable[[Sequence[Stream]], None]


class Segment:
    """Steps that follow each other, with `graph` captured in a graph at the first run."""

    def __init__(self, steps: Sequence[Enqueue], graph: bool) -> None:
        self._steps, self._use_graph = steps, graph
        self._graph: Graph | None = None
        # Whether buffers have moved since the capture.
        self.stale = False

    def run(self, main: Stream, streams: Sequence[Stream]) -> None:
        """Enqueues the steps: those of stream 0 on `main`, with a graph captured on `streams` before."""
        if not self._use_graph:
            self._enqueue([main, *streams[1:]])
            return
        if self._graph is None:
            self._graph = Graph(streams[0], lambda: self._enqueue(streams))
        elif self.stale:
            self._recapture(self._graph, streams)
        self.stale = False
        self._graph.launch(main)

    def close(self) -> None:
        """Destroys the graph."""
        if self._graph is not None:
            self._graph.close()

    def _enqueue(self, streams: Sequence[Stream]) -> None:
        """The other streams begin with the first one and end before it goes on."""
        for other in streams[1:]:
            other.wait_for(streams[0])
        for step in self._steps:
            step(streams)
        for other in streams[1:]:
            streams[0].wait_for(other)

    def _recapture(self, graph: Graph, streams: Sequence[Stream]) -> None:
        try:
            graph.recapture(streams[0], lambda: self._enqueue(streams))
        except BaseException:
            # The graph is of other addresses than the steps now.
            self._graph = None
            graph.close()
            raise
