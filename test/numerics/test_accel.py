"""Programs of thread blocks on the CPU compute what NumPy does in f64."""

from __future__ import annotations

import accel_products
import ml_dtypes
import numpy as np
import pytest
from accel_products import Product
from accel_programs import run

TYPES = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "i8": np.int8,
    "i32": np.int32,
    "ui8": np.uint8,
}


def numbers(shape: list[int], element: str, seed: int) -> np.ndarray:
    """Random numbers: normal ones, or all integers of the type."""
    rng, kind = np.random.default_rng(seed), TYPES[element]
    if element in ("i8", "ui8"):
        limits = np.iinfo(kind)
        return rng.integers(limits.min, limits.max, shape, kind, endpoint=True)
    return rng.normal(size=shape).astype(kind)


def rounded_to_tf32(x: np.ndarray) -> np.ndarray:
    """f32 numbers with 10 bits of mantissa, ties to even."""
    mantissa, exponent = np.frexp(x.astype(np.float64))
    return np.ldexp(np.round(mantissa * 2.0**11) / 2.0**11, exponent)


# Relative to the sum of the terms' magnitudes. f32 sums of up to 100 terms; a result that is rounded once.
SUM_ERROR, F16_SUM_ERROR = 100 * 2.0**-24, 100 * 2.0**-11
PRODUCTS = {
    "bf16 with bias and relu": (Product(70, 100, 75, "bf16", bias=True), SUM_ERROR),
    "bf16 result": (Product(70, 100, 75, "bf16", bias=True, result="bf16"), 2.0**-8),
    "whole tiles": (Product(64, 96, 32, "bf16"), SUM_ERROR),
    "less than a tile": (Product(3, 5, 7, "f32"), SUM_ERROR),
    "transposed a": (Product(45, 50, 33, "f16", transpose_a=True), SUM_ERROR),
    "transposed b": (Product(45, 50, 33, "f16", transpose_b=True), SUM_ERROR),
    "both transposed": (Product(45, 50, 33, "bf16", transpose_a=True, transpose_b=True), SUM_ERROR),
    "sums of f16": (Product(33, 50, 40, "f16", sums="f16"), F16_SUM_ERROR),
    "f32": (Product(40, 50, 60, "f32"), SUM_ERROR),
    "f64": (Product(40, 50, 60, "f64", sums="f64"), 100 * 2.0**-53),
    "int8": (Product(40, 50, 60, "i8", sums="i32"), 0),
    "unsigned int8": (Product(40, 50, 60, "ui8", sums="i32", transpose_b=True), 0),
    "f8E4M3FN": (Product(40, 50, 60, "f8E4M3FN"), SUM_ERROR),
    "f8E5M2": (Product(40, 50, 60, "f8E5M2"), SUM_ERROR),
    "batched": (Product(40, 50, 60, "f16", batch=3, bias=True), SUM_ERROR),
    "tf32": (Product(40, 50, 60, "f32", precision="tf32"), SUM_ERROR),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name: str) -> None:
    product, tolerance = PRODUCTS[name]
    a, b = numbers(product.shape_a(), product.element, 0), numbers(product.shape_b(), product.element, 1)
    bias = numbers([product.n], product.sums, 2) if product.bias else None
    found = np.zeros(product.shape_c(), TYPES[product.result or product.sums])
    run(accel_products.text(product), *(each for each in (a, b, bias, found) if each is not None))
    wide_a, wide_b = (each.astype(np.float64) for each in (a, b))
    if product.precision == "tf32":
        wide_a, wide_b = rounded_to_tf32(a), rounded_to_tf32(b)
    wide_a = wide_a.swapaxes(-1, -2) if product.transpose_a else wide_a
    wide_b = wide_b.swapaxes(-1, -2) if product.transpose_b else wide_b
    wanted, magnitude = wide_a @ wide_b, np.abs(wide_a) @ np.abs(wide_b)
    if bias is not None:
        wanted, magnitude = np.maximum(wanted + bias, 0), magnitude + np.abs(bias)
    assert np.all(np.abs(found - wanted) <= tolerance * magnitude)
