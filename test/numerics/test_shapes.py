"""Operators on shapes at the edges of tiles: scalars, no elements, dims of 1, odd sizes, long rows."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import compiled, differences, reference, runtime
from pieces import Pieces
from shape_groups import GROUPS, SLOW, random


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n in SLOW else []) for n in GROUPS]
)
def test_group_of_shapes(name: str) -> None:
    pieces = Pieces()
    GROUPS[name](pieces)
    model, inputs = pieces.model(), pieces.inputs
    expected = runtime(model, inputs) or reference(model, inputs)
    assert not differences(compiled(model).run(inputs), expected)


def test_lrn_of_an_even_size() -> None:
    x, size, alpha, beta, bias = random(2, 7, 3, 5), 4, 0.01, 0.6, 2.0
    pieces = Pieces()
    pieces.add("y", "LRN", x, size=size, alpha=alpha, beta=beta, bias=bias)
    squares = np.pad(x.astype(np.float64) ** 2, ((0, 0), (1, 2), (0, 0), (0, 0)))
    total = sum(squares[:, offset : offset + 7] for offset in range(size))
    expected = (x / (bias + alpha / size * total) ** beta).astype(np.float32)
    assert not differences(compiled(pieces.model()).run(pieces.inputs), {"y": expected})
