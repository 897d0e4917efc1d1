"""Wavefronts of AMD's CDNA GPUs: exchange of values between lanes, and matrix instructions.

Sources: AMD, "Instinct MI200" and "MI300 Instruction Set Architecture". In a matrix instruction of shape
16x16xK each lane gives K / 4 elements of either operand.
"""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np

from ..decode import WAVEFRONT, Op
from ..registry import op
from ..unit import Unit
from ..values import spread
from .arith import reinterpret
from .matrix import read_elements

_SWIZZLED, _QUAD, _ROW = 32, 4, 16
# data_parallel controls below this permute quads; rotations of rows are numbered from 0x121 on.
_END_OF_QUADS, _ROTATE, _LAST_ROTATE = 0x100, 0x120, 0x12F
_ALL = 0xF


def _require_wavefronts(unit: Unit) -> None:
    """Raises `EmulatorError` where some lanes of a wavefront are active and some not."""
    lanes = unit.mask.reshape(-1, WAVEFRONT)
    if (lanes.any(1) != lanes.all(1)).any():
        unit.fail("needs all lanes of a wavefront, but they have diverged")


def _from_lanes(unit: Unit, value: np.ndarray, source: np.ndarray) -> np.ndarray:
    """Returns the values of the lanes `source` of each lane's own wavefront."""
    _require_wavefronts(unit)
    own = np.arange(unit.lanes)
    return spread(value, unit.lanes)[own - own % WAVEFRONT + source]


def _lane(unit: Unit) -> np.ndarray:
    return np.arange(unit.lanes) % WAVEFRONT


@op("rocdl.sched.barrier")
def _order(unit: Unit, op: Op) -> None:
    """For LLVM only: ops are executed in their order."""


@op("rocdl.ds_swizzle")
def _swizzle(unit: Unit, op: Op, value: np.ndarray, pattern: np.ndarray) -> np.ndarray:
    """Runs ds_swizzle_b32 by masks, within 32 lanes."""
    bits, lane = unit.uniform(pattern), _lane(unit)
    if bits >> 15:
        unit.fail(f"the pattern {bits:#x} of ds_swizzle is not known")
    kept, added, changed = bits & 31, bits >> 5 & 31, bits >> 10 & 31
    inside = lane % _SWIZZLED
    return _from_lanes(unit, value, lane - inside + ((inside & kept | added) ^ changed))


@op("rocdl.ds_bpermute")
def _bpermute(unit: Unit, op: Op, index: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Runs ds_bpermute_b32: `index` is four times a lane's index, modulo the wavefront."""
    return _from_lanes(unit, value, spread(index, unit.lanes).astype(np.int64) // 4 % WAVEFRONT)


@op("rocdl.update.dpp")
def _data_parallel(unit: Unit, op: Op, old: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Runs v_mov_b32 with quad_perm or row_ror."""
    control, lane = op.attributes["dppCtrl"], _lane(unit)
    if op.attributes["rowMask"] != _ALL or op.attributes["bankMask"] != _ALL:
        unit.fail("rows and banks that are masked are not known")
    if control < _END_OF_QUADS:
        quad_lane = lane % _QUAD
        return _from_lanes(unit, value, lane - quad_lane + (control >> 2 * quad_lane & 3))
    if _ROTATE < control <= _LAST_ROTATE:
        row_lane = lane % _ROW
        return _from_lanes(unit, value, lane - row_lane + (row_lane - (control - _ROTATE)) % _ROW)
    unit.fail(f"the control {control:#x} of a data-parallel move is not known")


def _reader(dtype: np.dtype) -> Callable[[Unit, np.ndarray], np.ndarray]:
    """Returns a function that reads operands [lanes, K / 4] of `dtype` as the values that are multiplied."""
    wide = {"i": np.int64, "f": np.float32}.get(dtype.kind if dtype.itemsize < 8 else "", np.float64)

    def read(unit: Unit, value: np.ndarray) -> np.ndarray:
        held = reinterpret(spread(value, unit.lanes), dtype).reshape(unit.lanes, -1)
        return held.astype(np.float32 if dtype == ml_dtypes.bfloat16 else wide)

    return read


def _tf32(unit: Unit, value: np.ndarray) -> np.ndarray:
    bits = reinterpret(spread(value, unit.lanes), np.dtype(np.uint32)).reshape(unit.lanes, -1)
    return read_elements(bits, "tf32")[..., 0]


_F64 = "rocdl.mfma.f64.16x16x4f64"
_OPERANDS = {
    "rocdl.mfma.f32.16x16x16f16": _reader(np.dtype(np.float16)),
    "rocdl.mfma.f32.16x16x16bf16.1k": _reader(np.dtype(ml_dtypes.bfloat16)),
    "rocdl.mfma.f32.16x16x4f32": _reader(np.dtype(np.float32)),
    "rocdl.mfma.f32.16x16x8.xf32": _tf32,
    "rocdl.mfma.i32.16x16x16i8": _reader(np.dtype(np.int8)),
    "rocdl.mfma.i32.16x16x32.i8": _reader(np.dtype(np.int8)),
    _F64: _reader(np.dtype(np.float64)),
}


@op(*_OPERANDS)
def _matrix(unit: Unit, op: Op, a: np.ndarray, b: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """A [16, K] times B [K, 16], plus the sums [16, 16]."""
    _require_wavefronts(unit)
    dtype = op.result_types[0].dtype
    assert dtype is not None
    read = _OPERANDS[op.name]
    left, right = (_matrices(read(unit, operand)) for operand in (a, b))
    product = left @ right.swapaxes(1, 2)
    lane, position = np.ogrid[:WAVEFRONT, :4]
    row = lane // 16 + 4 * position if op.name == _F64 else 4 * (lane // 16) + position
    held = product[:, row, lane % 16 + 0 * position].reshape(unit.lanes, 4)
    return (spread(sums, unit.lanes) + held.astype(dtype)).astype(dtype)


def _matrices(values: np.ndarray) -> np.ndarray:
    """[lanes, K / 4] as [wavefronts, 16, K]: A, or the columns of B."""
    given = values.reshape(-1, 4, 16, values.shape[1])
    return given.transpose(0, 2, 1, 3).reshape(len(given), 16, -1)
