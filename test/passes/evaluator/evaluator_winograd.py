"""The transforms of Winograd's convolution in NumPy, as products with their matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from mlc.passes.graph.winograd.matrices import Matrix, input_matrix, output_matrix

Array = np.ndarray


def _floats(matrix: Matrix) -> Array:
    return np.array([[float(entry) for entry in row] for row in matrix])


def _input(x: Array, tile: int, kernel: int = 3) -> Array:
    size, matrix = tile + kernel - 1, _floats(input_matrix(tile))
    beyond = [(0, -(extent - kernel + 1) % tile) for extent in x.shape[2:4]]
    x = np.pad(x, [(0, 0), (0, 0), *beyond, (0, 0)], mode="edge")
    tiles = sliding_window_view(x, (size, size), axis=(2, 3))[:, :, ::tile, ::tile]
    batch, blocks, rows, columns, block = tiles.shape[:5]
    turned = np.einsum("ij,nbrqcjk,lk->ilnrqbc", matrix, tiles, matrix)
    return turned.reshape(size * size, batch * rows * columns, blocks * block).astype(x.dtype)


def _output(y: Array, tile: int, shape: Sequence[int], kernel: int = 3) -> Array:
    size, matrix = tile + kernel - 1, _floats(output_matrix(tile))
    batch, height, width = shape
    rows, columns = -(-height // tile), -(-width // tile)
    products = y.reshape(size, size, batch, rows, columns, *y.shape[2:])
    turned = np.einsum("pi,ijnrqbk,sj->nbrpqsk", matrix, products, matrix)
    whole = turned.reshape(batch, y.shape[2], rows * tile, columns * tile, y.shape[3])
    return whole[:, :, :height, :width].astype(y.dtype)


WINOGRAD_OPS: dict[str, Callable[..., Array]] = {"winograd_input": _input, "winograd_output": _output}
