"""Graph networks of torch_geometric, for any number of nodes and edges."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch_geometric.nn import GAT, GCN, GIN, GraphSAGE, global_mean_pool

from bench.zoo.exports.modules import Apply
from bench.zoo.exports.registry import export
from bench.zoo.exports.weights import calibrate, seed
from bench.zoo.model import Input

GRAPH = {
    "x": Input("float32", ("nodes", 16)),
    "edge_index": Input("int64", (2, "edges"), "integers(0, nodes)"),
}
SIZES = ({"nodes": 20, "edges": 60}, {"nodes": 7, "edges": 11}, {"nodes": 100, "edges": 500})
BATCHED = GRAPH | {"batch": Input("int64", ("nodes",), "integers(0, 4)")}


@export("geometric/gcn", "script dynamo", GRAPH, SIZES)
def _gcn() -> nn.Module:
    return seed(GCN(16, 32, 2, 7))


@export("geometric/gat", "script", GRAPH, SIZES)
def _gat() -> nn.Module:
    return seed(GAT(16, 32, 2, 7, heads=4))


@export("geometric/sage", "dynamo", GRAPH, SIZES)
def _sage() -> nn.Module:
    return seed(GraphSAGE(16, 32, 2, 7))


@export("geometric/gin-pooled", "script", BATCHED, SIZES)
def _gin() -> nn.Module:
    """Classifies four graphs at a time."""
    generator = torch.Generator().manual_seed(1)
    network = seed(GIN(16, 32, 2, 7, norm="batch_norm"))
    rows = torch.randn(40, 16, generator=generator)
    edges = torch.randint(0, 40, (2, 120), generator=generator)

    def classify(module: Any, x: torch.Tensor, edge_index: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        return global_mean_pool(module(x, edge_index), batch, size=4)

    return Apply(calibrate(network, rows, edges), classify)
