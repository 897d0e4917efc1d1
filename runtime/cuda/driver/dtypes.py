"""Element types: names as in NumPy and ml_dtypes, sizes, codes in DLPack and in tensor maps."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DType:
    """`code` and `bits` are DLPack's; `tensor_map` is a CUtensorMapDataType, or None."""

    name: str
    code: int
    bits: int
    tensor_map: int | None

    @property
    def nbytes(self) -> int:
        """Bytes of an element."""
        return self.bits // 8


_INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX, _BOOL = 0, 1, 2, 4, 5, 6
# Tensor maps move bits, so signed types that have no code use that of the unsigned type.
_TYPES = (
    *(DType(f"int{bits}", _INT, bits, code) for bits, code in ((8, 0), (16, 1), (32, 3), (64, 5))),
    *(DType(f"uint{bits}", _UINT, bits, code) for bits, code in ((8, 0), (16, 1), (32, 2), (64, 4))),
    *(DType(f"float{bits}", _FLOAT, bits, code) for bits, code in ((16, 6), (32, 7), (64, 8))),
    DType("bfloat16", _BFLOAT, 16, 9),
    DType("complex64", _COMPLEX, 64, None),
    DType("complex128", _COMPLEX, 128, None),
    DType("bool", _BOOL, 8, 0),
    DType("float8_e4m3fn", 10, 8, 0),
    DType("float8_e4m3fnuz", 11, 8, 0),
    DType("float8_e5m2", 12, 8, 0),
    DType("float8_e5m2fnuz", 13, 8, 0),
    DType("float8_e8m0fnu", 14, 8, 0),
)
DTYPES = {dtype.name: dtype for dtype in _TYPES}
BY_DLPACK = {(dtype.code, dtype.bits): dtype for dtype in _TYPES}
# Names for tensor maps only: f32 in memory, rounded to tf32 on the way.
TENSOR_MAP_ONLY = {"tfloat32": DType("tfloat32", _FLOAT, 32, 11)}
