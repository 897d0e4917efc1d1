"""Random uses of ops that read or write at indices in a tensor, with the shape that NumPy gives."""

from __future__ import annotations

from random import Random

import numpy as np
from shape_cases import Case, Shape, _shape


def indexing_case(random: Random) -> Case:
    """Returns a case of gather_nd, scatter_nd, scatter_elements or det."""
    return random.choice((_gather_nd, _scatter_nd, _scatter_elements, _det))(random)


def _index_shapes(random: Random, data: Shape, batch: int) -> tuple[Shape, Shape | None]:
    """Returns the shapes of indices and of their slices; None where they have too many dims."""
    count = random.randint(1, len(data) - batch + (random.random() < 0.3))
    indices = (*data[:batch], *_shape(random, 0, 2), count)
    if count > len(data) - batch:
        return indices, None
    zeros = [np.zeros(indices[:-1], np.int64)] * (batch + count)
    return indices, np.zeros(data)[tuple(zeros)].shape


def _gather_nd(random: Random) -> Case:
    data = _shape(random, 1)
    batch = random.randint(0, len(data) - 1)
    indices, expected = _index_shapes(random, data, batch)
    return Case("gather_nd", (data, indices), expected, {"batch_dims": batch}, ("f32", "i64"), (1,))


def _scatter_nd(random: Random) -> Case:
    data = _shape(random, 1)
    indices, slices = _index_shapes(random, data, 0)
    updates = slices or _shape(random)
    if random.random() < 0.2:
        updates = (*updates, 1)
    expected = data if updates == slices else None
    return Case("scatter_nd", (data, indices, updates), expected, {}, ("f32", "i64", "f32"))


def _scatter_elements(random: Random) -> Case:
    data = _shape(random, 1)
    axis = random.randint(0, len(data) - 1)
    indices = tuple(max(1, dim + random.choice((-1, 0, 0, 0, 1))) for dim in data)
    updates = indices if random.random() < 0.8 else tuple(dim + 1 for dim in indices)
    fits = all(
        one <= two or other == axis for other, (one, two) in enumerate(zip(indices, data, strict=True))
    )
    expected = data if fits and updates == indices else None
    elements = ("f32", "i64", "f32")
    return Case("scatter_elements", (data, indices, updates), expected, {"axis": axis}, elements)


def _det(random: Random) -> Case:
    x = _shape(random)
    if random.random() < 0.7:
        x = (*x, *[random.randint(1, 5)] * 2)
    square = len(x) > 1 and x[-1] == x[-2]
    return Case("det", (x,), np.linalg.det(np.zeros(x)).shape if square else None)
