"""Indices outside of what they index: clamped, so that nothing outside is read or written."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hand_written import Compile, function, inside, is_intact, op

FAR = 1 << 40
INDICES = np.array([-FAR, -(1 << 63), -7, -6, -5, -1, 0, 4, 5, 6, 70, (1 << 63) - 1])
NARROW = np.array([-(1 << 31), (1 << 31) - 1, -6, -5, -1, 0, 4, 5, 6, 70, -70, 3])


def clamp(indices: np.ndarray, extent: int) -> np.ndarray:
    """Negative ones count from the end; those outside become the nearest one."""
    wide = indices.astype(object)
    return np.clip(np.where(wide < 0, wide + extent, wide), 0, extent - 1).astype(np.int64)


def _gather(data: np.ndarray, indices: np.ndarray) -> np.ndarray:
    return data[clamp(indices, 5)]


def _gather_elements(data: np.ndarray, indices: np.ndarray) -> np.ndarray:
    return np.take_along_axis(data, clamp(indices, 5), 0)


def _gather_nd(data: np.ndarray, indices: np.ndarray) -> np.ndarray:
    return data[clamp(indices[:, 0], 5), clamp(indices[:, 1], 3)]


def _scatter(data: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    """Adds the updates one after the other at the indices that `_gather_nd` reads."""
    result = data.copy()
    for index, update in zip(indices, updates, strict=True):
        result[clamp(index[:1], 5)[0], clamp(index[1:], 3)[0]] += update
    return result


def _scatter_elements(data: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    result = data.copy()
    for row, column in np.ndindex(indices.shape):
        result[clamp(indices[row, column], 5), column] += updates[row, column]
    return result


DATA, VECTOR, COLUMNS, PAIRS = "5 3 f32", "12 {}", "4 3 {}", "6 2 {}"
CASES: dict[str, tuple[str, tuple[str, ...], str, Callable[..., np.ndarray]]] = {
    "gather": ("{axis = 0 : i64}", (DATA, VECTOR), "12 3 f32", _gather),
    "gather_elements": ("{axis = 0 : i64}", (DATA, COLUMNS), "4 3 f32", _gather_elements),
    "gather_nd": ("{batch_dims = 0 : i64}", (DATA, PAIRS), "6 f32", _gather_nd),
    "scatter_nd": ('{reduction = "add"}', (DATA, PAIRS, "6 f32"), "5 3 f32", _scatter),
    "scatter_elements": (
        '{axis = 0 : i64, reduction = "add"}', (DATA, COLUMNS, "4 3 f32"), "5 3 f32", _scatter_elements
    ),
}  # fmt: skip


def _any_size(words: str, letter: str) -> str:
    """The type with a name for its first dim."""
    return re.sub(r"^\d+", letter, words)


@pytest.mark.parametrize(("dims", "element"), [("known", "i64"), ("named", "i32")])
@pytest.mark.parametrize("name", CASES)
def test_indices_outside(compiled: Compile, name: str, element: str, dims: str) -> None:
    """Surrounding memory neither appears in the result nor changes."""
    attributes, operands, result, reference = CASES[name]
    dtypes = [words.format(element) for words in operands]
    shapes = [[int(word) for word in words.split()[:-1]] for words in dtypes]
    if dims == "named":
        # Updates have as many rows as indices.
        dtypes = [_any_size(words, letter) for words, letter in zip(dtypes, "nmm", strict=False)]
        result = _any_size(result, "n" if name.startswith("scatter") else "m")
    arguments = ", ".join(f"%{letter}" for letter in "abc"[: len(dtypes)])
    text = function(
        dict(zip("abc", dtypes, strict=False)),
        result,
        op(f'%r = "graph.{name}"({arguments}) {attributes}', *dtypes, result),
    )
    indices = (INDICES if element == "i64" else NARROW).astype(element.replace("i", "int"))
    values = [np.arange(15, dtype=np.float32).reshape(5, 3), indices.reshape(shapes[1])]
    if len(shapes) > 2:
        values.append(np.arange(1, 1 + np.prod(shapes[2]), dtype=np.float32).reshape(shapes[2]))
    given = [inside(value) for value in values]
    expected = reference(*values)
    out, around = inside(np.zeros_like(expected))
    compiled(text)(*(part for part, _ in given), out=[out])
    np.testing.assert_array_equal(out, expected)
    assert all(is_intact(whole) for _, whole in (*given, (out, around)))


@pytest.mark.parametrize("name", CASES)
def test_data_without_elements(compiled: Compile, name: str) -> None:
    """No index is inside: the call fails, unless there is nothing to index."""
    attributes, operands, result, _ = CASES[name]
    dtypes = [_any_size(words.format("i64"), name) for words, name in zip(operands, "nmm", strict=False)]
    result = _any_size(result, "n" if name.startswith("scatter") else "m")
    arguments = ", ".join(f"%{letter}" for letter in "abc"[: len(dtypes)])
    line = op(f'%r = "graph.{name}"({arguments}) {attributes}', *dtypes, result)
    program = compiled(function(dict(zip("abc", dtypes, strict=False)), result, line))
    for rows in (2, 0):
        shapes = [[0, 3], *([rows, *map(int, words.split()[1:-1])] for words in dtypes[1:])]
        element_types = [np.float32, np.int64, np.float32]
        values = [np.zeros(shape, dtype) for shape, dtype in zip(shapes, element_types, strict=False)]
        if rows:
            fault = "its indices name elements of an axis that has none"
            with pytest.raises(ValueError, match=rf"^{name}: {fault}: n must be at least .*, got 0 and 1$"):
                program(*values)
        else:
            assert program(*values)[0].size == 0
