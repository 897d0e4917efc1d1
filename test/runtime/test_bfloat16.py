"""Rounding to bfloat16 without ml_dtypes."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from mlc.runtime.tensors import TensorSpec, bfloat16_bits


def test_bits_are_those_of_ml_dtypes() -> None:
    # Every exponent and sign, with ties, and with what is just below and above one.
    high = np.arange(1 << 16, dtype=np.uint32) << 16
    bits = np.concatenate([high | low for low in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)])
    values = bits.view(np.float32)
    known = ~np.isnan(values)
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = values.astype(ml_dtypes.bfloat16)
    found = bfloat16_bits(values)
    np.testing.assert_array_equal(found[known], wanted[known].view(np.uint16))
    assert np.isnan(found[~known].view(ml_dtypes.bfloat16).astype(np.float32)).all()
    np.testing.assert_array_equal(found[~known] >> 15, bits[~known] >> 31)


def test_the_shape_stays() -> None:
    strided = np.arange(24, dtype=np.float32).reshape(4, 6)[::2, ::-1]
    assert bfloat16_bits(strided).shape == (2, 6)
    assert bfloat16_bits(np.array(1.5, np.float32)).shape == ()
    np.testing.assert_array_equal(bfloat16_bits(strided), strided.astype(ml_dtypes.bfloat16).view(np.uint16))


def test_sizes_need_no_ml_dtypes() -> None:
    for dtype in ("bfloat16", "float8_e4m3fn", "int4"):
        spec = TensorSpec("", dtype, (3, 5))
        assert spec.nbytes == 15 * spec.numpy_dtype.itemsize
        assert spec.buffer_dtype.itemsize == spec.numpy_dtype.itemsize
