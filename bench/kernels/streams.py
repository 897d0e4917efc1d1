"""Kernels that memory limits: on arrays that no cache holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bench.kernels.case import KernelCase

# Bytes moved, in sizes of the last level of cache.
WORKING_SET = 4
CACHE = Path("/sys/devices/system/cpu/cpu0/cache")
UNITS = {"K": 1 << 10, "M": 1 << 20}
Shapes = Mapping[str, tuple[int, ...]]


def last_level_bytes(folder: Path = CACHE) -> int:
    """The size of the largest cache; 32 MiB where the system does not say."""
    sizes = [path.read_text().strip() for path in folder.glob("index*/size")]
    return max((int(size[:-1]) * UNITS[size[-1]] for size in sizes), default=32 << 20)


def streams(least: int) -> list[KernelCase]:
    """Kernels that move at least `least` bytes each, by the ratio of what they read to what they write."""
    return [
        _mapped("softmax", "Softmax", 1024, least, axis=-1),
        _normalised(768, least),
        _mapped("gelu", "Gelu", 3072, least),
        _mapped("relu", "Relu", 3072, least),
        _mapped("transpose_2d", "Transpose", _square(least), least, turned=(1, 0), perm=[1, 0]),
        _heads(least),
        _added(least),
        _gathered(768, least),
        _reduced("sum_last", "ReduceSum", -1, least),
        _reduced("sum_first", "ReduceSum", 0, least),
        _reduced("max_last", "ReduceMax", -1, least),
        _reduced("mean_last", "ReduceMean", -1, least),
    ]


def _rows(columns: int, arrays: int, least: int) -> int:
    """How many rows of floats make `arrays` arrays of together at least `least` bytes; a multiple of 64."""
    return 64 * math.ceil(least / (4 * columns * arrays) / 64)


def _square(least: int) -> int:
    """The side of a square whose copy moves at least `least` bytes; a multiple of 64."""
    return 64 * math.ceil(math.sqrt(least / 8) / 64)


def _mapped(
    name: str, operator: str, columns: int, least: int, turned: tuple[int, int] = (0, 1), **attributes: object
) -> KernelCase:
    """One array in, one out."""
    shape = (_rows(columns, 2, least), columns)
    result = (shape[turned[0]], shape[turned[1]])
    return _case(name, operator, {"x": shape}, result, "copy", attributes=attributes)


def _normalised(columns: int, least: int) -> KernelCase:
    shape, scale = (_rows(columns, 2, least), columns), np.ones(columns, np.float32)
    constants = {"scale": scale, "bias": 0 * scale}
    return _case(
        "layer_norm",
        "LayerNormalization",
        {"x": shape},
        shape,
        "copy",
        attributes={"axis": -1},
        constants=constants,
    )


def _heads(least: int) -> KernelCase:
    """Tokens by heads to heads by tokens, as attention does."""
    heads, features = 12, 64
    tokens = _rows(heads * features, 2, least)
    return _case(
        "transpose_heads",
        "Transpose",
        {"x": (1, tokens, heads, features)},
        (1, heads, tokens, features),
        "copy",
        attributes={"perm": [0, 2, 1, 3]},
    )


def _added(least: int) -> KernelCase:
    shape = (_rows(3072, 3, least), 3072)
    return _case("add", "Add", {"x": shape, "z": shape}, shape, "triad")


def _gathered(columns: int, least: int) -> KernelCase:
    """Random rows of a table as large as the result."""
    rows = _rows(columns, 2, least)
    inputs = {"table": (rows, columns), "indices": (rows,)}
    return _case(
        "gather_rows", "Gather", inputs, (rows, columns), "copy", attributes={"axis": 0}, indices=rows
    )


def _reduced(name: str, operator: str, axis: int, least: int) -> KernelCase:
    shape = (_rows(1024, 1, least), 1024)
    result = tuple(1 if index == axis % 2 else extent for index, extent in enumerate(shape))
    return _case(
        f"reduce_{name}", operator, {"x": shape}, result, "read", constants={"axes": np.array([axis])}
    )


def _case(
    name: str, operator: str, inputs: Shapes, result: tuple[int, ...], roof: str, **fields: Any
) -> KernelCase:
    return KernelCase("memory", name, operator, inputs, result, roof, **fields)
