"""Networks that rank items, and networks on tables, after their papers."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import nn
from torch.nn import functional

from bench.zoo.exports.registry import export
from bench.zoo.exports.weights import calibrate, seed
from bench.zoo.model import Input

DENSE, FIELDS, VALUES, WIDTH = 13, 8, 100, 16
ROW = {
    "dense": Input("float32", ("batch", DENSE)),
    "categories": Input("int64", ("batch", FIELDS), f"integers(0, {VALUES})"),
}
SIZES = ({"batch": 3}, {"batch": 1}, {"batch": 128})


def _mlp(*widths: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Dlrm(nn.Module):
    """Naumov et al., 2019: embeddings and a network of the dense features, and all their inner products."""

    def __init__(self) -> None:
        super().__init__()
        self.embeddings = nn.ModuleList(nn.EmbeddingBag(VALUES, WIDTH, mode="sum") for _ in range(FIELDS))
        self.bottom, self.top = _mlp(DENSE, 64, WIDTH), _mlp(WIDTH + FIELDS * (FIELDS + 1) // 2, 64, 1)
        self.register_buffer("pairs", torch.tril_indices(FIELDS + 1, FIELDS + 1, -1))

    def forward(self, dense: torch.Tensor, categories: torch.Tensor) -> torch.Tensor:
        bottom = self.bottom(dense)
        sparse = [one(categories[:, i : i + 1]) for i, one in enumerate(self.embeddings)]
        vectors = torch.stack([bottom, *sparse], 1)
        products = torch.bmm(vectors, vectors.transpose(1, 2))
        return torch.sigmoid(self.top(torch.cat([bottom, products[:, self.pairs[0], self.pairs[1]]], 1)))


class WideAndDeep(nn.Module):
    """Cheng et al., 2016: a linear model of crossed categories beside a network of embeddings."""

    def __init__(self) -> None:
        super().__init__()
        self.wide, self.embedding = nn.Embedding(1009, 1), nn.Embedding(FIELDS * VALUES, WIDTH)
        self.deep = _mlp(DENSE + FIELDS * WIDTH, 64, 32, 1)

    def forward(self, dense: torch.Tensor, categories: torch.Tensor) -> torch.Tensor:
        crossed = (categories[:, :-1] * VALUES + categories[:, 1:]) % 1009
        shifted = categories + torch.arange(FIELDS) * VALUES
        deep = self.deep(torch.cat([dense, self.embedding(shifted).flatten(1)], 1))
        return torch.sigmoid(self.wide(crossed).sum(1) + deep)


class DeepFm(nn.Module):
    """Guo et al., 2017: a factorisation machine and a network that share their embeddings."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Embedding(FIELDS * VALUES, 1), nn.Embedding(FIELDS * VALUES, WIDTH)
        self.linear, self.deep = nn.Linear(DENSE, 1), _mlp(DENSE + FIELDS * WIDTH, 64, 1)

    def forward(self, dense: torch.Tensor, categories: torch.Tensor) -> torch.Tensor:
        shifted = categories + torch.arange(FIELDS) * VALUES
        vectors = self.second(shifted)
        pairs = 0.5 * (vectors.sum(1).square() - vectors.square().sum(1)).sum(1, keepdim=True)
        deep = self.deep(torch.cat([dense, vectors.flatten(1)], 1))
        return torch.sigmoid(self.linear(dense) + self.first(shifted).sum(1) + pairs / WIDTH + deep)


class FeatureTokenizerTransformer(nn.Module):
    """Gorishniy et al., 2021: a token per column, by a scale for dense features, else by a table."""

    def __init__(self, width: int = 32, classes: int = 4) -> None:
        super().__init__()
        self.scales, self.shifts = (nn.Parameter(torch.zeros(DENSE, width)) for _ in range(2))
        self.embedding, self.token = (
            nn.Embedding(FIELDS * VALUES, width),
            nn.Parameter(torch.zeros(1, 1, width)),
        )
        layer = nn.TransformerEncoderLayer(width, 4, 64, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Sequential(nn.LayerNorm(width), nn.ReLU(), nn.Linear(width, classes))

    def forward(self, dense: torch.Tensor, categories: torch.Tensor) -> torch.Tensor:
        scaled = dense[..., None] * self.scales + self.shifts
        embedded = self.embedding(categories + torch.arange(FIELDS) * VALUES)
        tokens = torch.cat([self.token.expand(dense.shape[0], -1, -1), scaled, embedded], 1)
        return self.head(self.encoder(tokens)[:, 0])


def sparsemax(x: torch.Tensor) -> torch.Tensor:
    """Martins and Astudillo, 2016: the projection of the last axis onto the probability simplex."""
    ordered = x.sort(-1, descending=True).values
    ranks = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype)
    sums = ordered.cumsum(-1) - 1
    support = (ranks * ordered > sums).sum(-1, keepdim=True)
    threshold = sums.gather(-1, support - 1) / support
    return functional.relu(x - threshold)


class TabNet(nn.Module):
    """Arik and Pfister, 2019: steps that each attend to some columns by a sparse mask."""

    def __init__(self, columns: int = DENSE, width: int = 16, steps: int = 3, classes: int = 4) -> None:
        super().__init__()
        self.norm, self.width = nn.BatchNorm1d(columns), width
        self.first = self._block(columns)
        self.steps = nn.ModuleList(self._block(columns) for _ in range(steps))
        self.masks = nn.ModuleList(
            nn.Sequential(nn.Linear(width, columns), nn.BatchNorm1d(columns)) for _ in range(steps)
        )
        self.head = nn.Linear(width, classes)

    def _block(self, columns: int) -> nn.Module:
        return nn.Sequential(nn.Linear(columns, 4 * self.width), nn.BatchNorm1d(4 * self.width), nn.GLU())

    def forward(self, dense: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = self.norm(dense)
        _, attended = self.first(x).split(self.width, -1)
        prior, decision = torch.ones_like(x), torch.zeros(x.shape[0], self.width)
        for step, mask in zip(self.steps, self.masks, strict=True):
            chosen = sparsemax(mask(attended) * prior)
            prior = prior * (1.3 - chosen)
            decided, attended = step(chosen * x).split(self.width, -1)
            decision = decision + functional.relu(decided)
        return self.head(decision), prior


@export("recommenders/dlrm", "script dynamo", ROW, SIZES)
def _dlrm() -> nn.Module:
    return seed(Dlrm())


@export("recommenders/wide-and-deep", "script", ROW, SIZES)
def _wide_and_deep() -> nn.Module:
    return seed(WideAndDeep())


@export("recommenders/deep-fm", "dynamo", ROW, SIZES)
def _deep_fm() -> nn.Module:
    return seed(DeepFm())


@export("tabular/ft-transformer", "script", ROW, SIZES)
def _ft_transformer() -> nn.Module:
    return seed(FeatureTokenizerTransformer())


@export("tabular/tabnet", "script dynamo", {"dense": ROW["dense"]}, SIZES, outputs=["logits", "prior"])
def _tabnet() -> nn.Module:
    rows = torch.randn(64, DENSE, generator=torch.Generator().manual_seed(1))
    return calibrate(seed(TabNet()), rows)
