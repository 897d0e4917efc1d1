"""Memory-bound kernels: on arrays that exceed the caches."""

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
    """Returns the size of the largest cache; 32 MiB if the system does not report it."""
    sizes = [path.read_text().strip() for path in folder.glob("index*/size")]
    return max((int(size[:-1]) * UNITS[size[-1]] for size in sizes), default=32 << 20)


def streams(least: int) -> list[KernelCase]:
    """Returns kernels that move at least `least` bytes each."""
    return [
        _map("softmax", "Softmax", 1024, least, axis=-1),
        _layer_norm(768, least),
        _map("gelu", "Gelu", 3072, least),
        _map("relu", "Relu", 3072, least),
        _map("transpose_2d", "Transpose", _square(least), least, order=(1, 0), perm=[1, 0]),
        _heads(least),
        _add(least),
        _gather(768, least),
        _reduce("sum_last", "ReduceSum", -1, least),
        _reduce("sum_first", "ReduceSum", 0, least),
        _reduce("max_last", "ReduceMax", -1, least),
        _reduce("mean_last", "ReduceMean", -1, least),
    ]


def _rows(columns: int, arrays: int, least: int) -> int:
    """Returns the rows of floats with which `arrays` arrays have at least `least` bytes; a multiple of 64."""
    return 64 * math.ceil(least / (4 * columns * arrays) / 64)


def _square(least: int) -> int:
    """Returns the side of a square whose copy moves at least `least` bytes; a multiple of 64."""
    return 64 * math.ceil(math.sqrt(least / 8) / 64)


def _map(
    name: str, operator: str, columns: int, least: int, order: tuple[int, int] = (0, 1), **attributes: object
) -> KernelCase:
    """Returns a kernel with one operand and one result."""
    shape = (_rows(columns, 2, least), columns)
    result = (shape[order[0]], shape[order[1]])
    return _case(name, operator, {"x": shape}, result, "copy", attributes=attributes)


def _layer_norm(columns: int, least: int) -> KernelCase:
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
    """Returns the transpose of attention, from tokens by heads to heads by tokens."""
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


def _add(least: int) -> KernelCase:
    shape = (_rows(3072, 3, least), 3072)
    return _case("add", "Add", {"x": shape, "z": shape}, shape, "triad")


def _gather(columns: int, least: int) -> KernelCase:
    """Returns a gather of random rows of a table as large as the result."""
    rows = _rows(columns, 2, least)
    inputs = {"table": (rows, columns), "indices": (rows,)}
    return _case(
        "gather_rows", "Gather", inputs, (rows, columns), "copy", attributes={"axis": 0}, indices=rows
    )


def _reduce(name: str, operator: str, axis: int, least: int) -> KernelCase:
    shape = (_rows(1024, 1, least), 1024)
    result = tuple(1 if index == axis % 2 else extent for index, extent in enumerate(shape))
    return _case(
        f"reduce_{name}", operator, {"x": shape}, result, "read", constants={"axes": np.array([axis])}
    )


def _case(
    name: str, operator: str, inputs: Shapes, result: tuple[int, ...], roof: str, **fields: Any
) -> KernelCase:
    return KernelCase("memory", name, operator, inputs, result, roof, **fields)
