"""Matrices of a warp: ldmatrix, stmatrix, mma.sync."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np

from ..decode import Op
from ..fragments import gather, left_index, result_index, right_index, scatter
from ..registry import op
from ..unit import SHARED_SPACE, Unit
from ..values import LANES, Value, spread
from .arith import reinterpret

_ROW_BYTES = 16
# Types of the factors: how their bits are read.
ELEMENTS = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "s8": np.int8, "u8": np.uint8,
    "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2,
}  # fmt: skip
_TF32_BITS = np.uint32(0xFFFFE000)


def read_elements(bits: np.ndarray, element_type: str) -> np.ndarray:
    """Returns registers (uint32, [..., n]) as values [..., n, elements] that are multiplied: f32, or int64 of
    integers."""
    if element_type == "tf32":
        bits = bits & _TF32_BITS
    elements = np.ascontiguousarray(bits)[..., None].view(ELEMENTS[element_type])
    return elements.astype(np.int64 if element_type in ("s8", "u8") else np.float32)


def registers(values: list[np.ndarray], lanes: int) -> np.ndarray:
    """The bits of 32-bit registers, [lanes, registers]."""
    return np.stack([reinterpret(spread(value, lanes), np.dtype(np.uint32))[:, 0] for value in values], 1)


def by_warp(values: np.ndarray) -> np.ndarray:
    """[lanes, ...] as [warps, 32, ...]."""
    return values.reshape(-1, LANES, *values.shape[1:])


def enum(text: str) -> str:
    """The case of an enum attribute: "row" of "#nvvm.mma_layout<row>"."""
    return text.removesuffix(">").split("<")[-1].split()[-1]


def sizes(text: str) -> tuple[int, ...]:
    """The numbers of "#nvvm.shape<m = 16, n = 8, k = 16>"."""
    return tuple(int(extent) for extent in re.findall(r"= (\d+)", text))


def _rows(unit: Unit, addresses: np.ndarray, count: int) -> np.ndarray:
    """Addresses [warps, count, 8] of the rows of `count` matrices: those of lanes 8 i to 8 i + 7 for matrix
    i."""
    unit.require_whole_warps()
    return by_warp(spread(addresses, unit.lanes))[:, : 8 * count].reshape(-1, count, 8)


@op("nvvm.ldmatrix")
def _ldmatrix(unit: Unit, op: Op, address: np.ndarray) -> Value:
    """PTX ISA, "ldmatrix", of 8x8 matrices of 16-bit elements."""
    count, space = op.attributes["num"], op.operand_types[0].space or SHARED_SPACE
    rows = np.full((unit.lanes // LANES, 4, 8), 0, np.uint64)
    rows[:, :count] = _rows(unit, address, count)
    rows[:, count:] = rows[:, :1]
    data = unit.load(space, rows.reshape(-1), _ROW_BYTES, _ROW_BYTES)
    matrices = data.view(np.uint16).reshape(-1, 4, 8, 8)[:, :count]
    if enum(op.attributes["layout"]) == "col":
        matrices = matrices.swapaxes(2, 3)
    held = np.ascontiguousarray(matrices).reshape(-1, count, LANES, 2).view(np.uint32)[..., 0]
    result = tuple(held[:, i].reshape(-1) for i in range(count))
    return result if count > 1 else result[0]


@op("nvvm.stmatrix")
def _stmatrix(unit: Unit, op: Op, address: np.ndarray, *values: np.ndarray) -> None:
    """PTX ISA, "stmatrix"."""
    count, everyone = len(values), unit.mask
    space = op.operand_types[0].space or SHARED_SPACE
    _rows(unit, address, count)
    held = by_warp(registers(list(values), unit.lanes))
    matrices = np.ascontiguousarray(held.swapaxes(1, 2)).view(np.uint16).reshape(-1, count, 8, 8)
    if enum(op.attributes["layout"]) == "col":
        matrices = matrices.swapaxes(2, 3)
    rows = np.zeros((len(held), LANES, _ROW_BYTES), np.uint8)
    rows[:, : 8 * count] = np.ascontiguousarray(matrices).view(np.uint8).reshape(len(held), 8 * count, -1)
    unit.mask = everyone & (unit.threads % LANES < 8 * count)
    unit.store(space, address, rows.reshape(-1, _ROW_BYTES), _ROW_BYTES)
    unit.mask = everyone


@op("nvvm.mma.sync")
def _mma(unit: Unit, op: Op, *values: np.ndarray) -> Value:
    """PTX ISA, "mma.sync", of shapes m16n8kX with A by rows and B by columns."""
    unit.require_whole_warps()
    rows, columns, depth = sizes(op.attributes["shape"])
    if (rows, columns) != (16, 8):
        unit.fail(f"products of shape {rows}x{columns}x{depth} are not known")
    left, right, initial = op.groups(values)
    element_types = [_element_type(op, "multiplicandAPtxType"), _element_type(op, "multiplicandBPtxType")]
    a, b = (
        read_elements(by_warp(registers(part, unit.lanes)), element_type)
        for part, element_type in zip((left, right), element_types, strict=True)
    )
    a = gather(a, left_index(*a.shape[2:]), (16, depth))
    b = gather(b, right_index(*b.shape[2:]), (depth, 8))
    return _accumulate(unit, op, a @ b, initial)


def _element_type(op: Op, name: str) -> str:
    return enum(op.attributes[name]) if name in op.attributes else "f16"


def _accumulate(unit: Unit, op: Op, product: np.ndarray, initial: list[np.ndarray]) -> Value:
    """`initial` plus the product, as the result's registers hold it."""
    part = op.result_types[0].parts[0]
    assert part.dtype is not None
    before = np.stack([spread(part, unit.lanes) for part in initial], 1).reshape(unit.lanes, 4)
    held = scatter(product, result_index(8)).reshape(unit.lanes, 4)
    total = before + held.astype(np.uint32 if part.dtype == np.uint32 else np.float32)
    total = total.astype(part.dtype).reshape(unit.lanes, -1, *part.shape)
    return tuple(total[:, i] for i in range(total.shape[1]))
