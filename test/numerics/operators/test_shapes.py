"""Operators on shapes at the edges of tiles: scalars, no elements, dims of 1, odd sizes, long rows."""

from __future__ import annotations

import pytest
from oracle import compile_model, differences, reference, runtime
from pieces import Pieces
from shape_groups import GROUPS, SLOW


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n in SLOW else []) for n in GROUPS]
)
def test_group_of_shapes(name: str) -> None:
    pieces = Pieces()
    GROUPS[name](pieces)
    model, inputs = pieces.model(), pieces.inputs
    expected = runtime(model, inputs) or reference(model, inputs)
    assert not differences(compile_model(model).run(inputs), expected)
