"""Operators on known operands, computed while a graph is built."""

import numpy as np
import pytest

from mlc.dialects.graph.folding import fold


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0, 3)])
def test_transpose_keeps_the_rank_and_is_contiguous(shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    permutation = list(reversed(range(len(shape))))
    result = fold("transpose", [x], {"permutation": permutation}, None)
    assert result is not None
    assert result.flags.c_contiguous
    np.testing.assert_array_equal(result, x.T, strict=True)
