"""Programs of thread blocks compute what NumPy does in f64: on the CPU, and as threads in the emulator."""

from __future__ import annotations

from collections.abc import Callable

import accel_gpu
import accel_kernels
import accel_products
import accel_programs
import accel_rings
import ml_dtypes
import numpy as np
import pytest
from accel_products import Product
from sampled_runs import sample_cases

# Each runs a kernel's text on arrays.
Run = Callable[..., None]
RUNS = {"cpu": accel_programs.run, **accel_gpu.RUNS}
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


def random_values(shape: list[int], element: str, seed: int) -> np.ndarray:
    """Random numbers: normal ones, or all integers of the type."""
    rng, value_type = np.random.default_rng(seed), TYPES[element]
    if element in ("i8", "ui8"):
        limits = np.iinfo(value_type)
        return rng.integers(limits.min, limits.max, shape, value_type, endpoint=True)
    return rng.normal(size=shape).astype(value_type)


def round_to_tf32(x: np.ndarray) -> np.ndarray:
    """Rounds f32 values to 10 bits of mantissa, ties to even."""
    mantissa, exponent = np.frexp(x.astype(np.float64))
    return np.ldexp(np.round(mantissa * 2.0**11) / 2.0**11, exponent)


# Relative to the sum of the terms' magnitudes. f32 sums of up to 100 terms; a result that is rounded once.
SUM_ERROR, F16_SUM_ERROR = 100 * 2.0**-24, 100 * 2.0**-11
PRODUCTS = {
    "bf16 with bias and relu": (Product(70, 100, 75, "bf16", bias=True), SUM_ERROR),
    "bf16 result": (Product(70, 100, 75, "bf16", bias=True, result="bf16"), 2.0**-8),
    "full tiles": (Product(64, 96, 32, "bf16"), SUM_ERROR),
    "less than a tile": (Product(3, 5, 7, "f32"), SUM_ERROR),
    "transposed a": (Product(45, 50, 33, "f16", transpose_a=True), SUM_ERROR),
    "transposed b": (Product(45, 50, 33, "f16", transpose_b=True), SUM_ERROR),
    "both transposed": (Product(45, 50, 33, "bf16", transpose_a=True, transpose_b=True), SUM_ERROR),
    "sums of f16": (Product(33, 50, 40, "f16", sums="f16"), F16_SUM_ERROR),
    "f32": (Product(40, 50, 60, "f32"), SUM_ERROR),
    "f64": (Product(40, 50, 60, "f64", sums="f64"), 100 * 2.0**-53),
    "int8": (Product(40, 50, 60, "i8", sums="i32"), 0),
    "unsigned int8": (
        Product(40, 50, 60, "i8", sums="i32", transpose_b=True, unsigned_a=True, unsigned_b=True),
        0,
    ),
    "unsigned by signed int8": (Product(40, 50, 60, "i8", sums="i32", unsigned_a=True), 0),
    "f8E4M3FN": (Product(40, 50, 60, "f8E4M3FN"), SUM_ERROR),
    "f8E5M2": (Product(40, 50, 60, "f8E5M2"), SUM_ERROR),
    "batched": (Product(40, 50, 60, "f16", batch=3, bias=True), SUM_ERROR),
    "tf32": (Product(40, 50, 60, "f32", precision="tf32"), SUM_ERROR),
}
# Tiles that groups of 4 warps multiply together where they can; rows of 16 bytes are for TMA.
LARGE = {
    "bf16 by bf16": Product(150, 136, 200, "bf16", bias=True, tile=(64, 64), step=64, stages=3),
    "rows of no 16 bytes": Product(70, 100, 75, "bf16", tile=(64, 64), step=64),
    "two groups below one another": Product(130, 72, 136, "f16", tile=(128, 64), warps=8, result="f16"),
    "two groups side by side": Product(70, 136, 80, "bf16", tile=(64, 128), step=16, warps=8, stages=4),
    "batched results of 16 bits": Product(72, 40, 32, "bf16", batch=2, tile=(64, 64), result="bf16"),
    "results of rows of no 16 bytes": Product(70, 36, 32, "bf16", tile=(64, 64), result="bf16"),
    "four groups": Product(128, 256, 64, "bf16", tile=(128, 256), warps=16),
    "a group with two parts of rows": Product(128, 32, 96, "bf16", tile=(128, 32), step=32),
    "more columns than an instruction has": Product(64, 512, 32, "f16", tile=(64, 512), step=16, warps=4),
    "transposed a": Product(136, 72, 70, "f16", transpose_a=True, tile=(64, 64), stages=3),
    "transposed b": Product(96, 100, 72, "bf16", transpose_b=True, tile=(64, 32), stages=3),
    "both transposed": Product(
        128, 50, 72, "bf16", transpose_a=True, transpose_b=True, tile=(128, 64), warps=8
    ),
    "narrow columns": Product(64, 24, 32, "f16", tile=(64, 8), step=32, transpose_b=True),
    "batched": Product(72, 64, 64, "bf16", batch=2, tile=(64, 64), stages=2, bias=True),
    "tf32": Product(70, 72, 76, "f32", precision="tf32", transpose_b=True, tile=(64, 64)),
    "tf32 with rows of b": Product(70, 72, 76, "f32", precision="tf32", tile=(64, 64)),
    "exact f32": Product(70, 72, 76, "f32", tile=(64, 64)),
    "int8": Product(70, 100, 144, "i8", sums="i32", transpose_b=True, tile=(64, 64), step=64),
    "unsigned int8": Product(
        70, 100, 144, "i8", "i32", 0, False, True, unsigned_a=True, unsigned_b=True, tile=(64, 128), step=128
    ),
    "signed by unsigned int8": Product(
        70, 100, 144, "i8", "i32", transpose_b=True, unsigned_b=True, tile=(64, 128), step=128
    ),
    "f8E4M3FN": Product(70, 100, 144, "f8E4M3FN", transpose_b=True, tile=(64, 64), step=64, stages=3),
    "f8E5M2": Product(70, 100, 60, "f8E5M2", transpose_b=True, tile=(64, 64), step=32),
}
ERRORS = {"bf16": 2.0**-8, "f16": 2.0**-10, "i32": 0}
ALL_PRODUCTS = PRODUCTS | {
    f"large {name}": (product, ERRORS.get(product.result or product.sums, SUM_ERROR))
    for name, product in LARGE.items()
}
SAMPLED_PRODUCTS = [
    *sample_cases(PRODUCTS, RUNS),
    *sample_cases([f"large {name}" for name in LARGE], RUNS, always=("cpu", "sm_90a")),
]


@pytest.mark.parametrize(("name", "where"), SAMPLED_PRODUCTS)
def test_products(name: str, where: str) -> None:
    check_product(RUNS[where], *ALL_PRODUCTS[name])


def check_product(run: Run, product: Product, tolerance: float) -> None:
    """Compares a product of random numbers with NumPy's."""
    types = [f"u{product.element}" * unsigned or product.element for unsigned in product.unsigned]
    a, b = (
        random_values(shape, value_type, seed)
        for seed, (shape, value_type) in enumerate(
            zip((product.shape_a(), product.shape_b()), types, strict=True)
        )
    )
    bias = random_values([product.n], product.sums, 2) if product.bias else None
    found = np.zeros(product.shape_c(), TYPES[product.result or product.sums])
    given = [operand.view(TYPES[product.element]) for operand in (a, b)]
    run(accel_products.text(product), *(array for array in (*given, bias, found) if array is not None))
    wide_a, wide_b = (operand.astype(np.float64) for operand in (a, b))
    if product.precision == "tf32":
        wide_a, wide_b = round_to_tf32(a), round_to_tf32(b)
    wide_a = wide_a.swapaxes(-1, -2) if product.transpose_a else wide_a
    wide_b = wide_b.swapaxes(-1, -2) if product.transpose_b else wide_b
    wanted, magnitude = wide_a @ wide_b, np.abs(wide_a) @ np.abs(wide_b)
    if bias is not None:
        wanted, magnitude = np.maximum(wanted + bias, 0), magnitude + np.abs(bias)
    assert np.all(np.abs(found - wanted) <= tolerance * magnitude)


@pytest.mark.parametrize(("shape", "where"), sample_cases([(16, 128), (37, 100), (1, 1)], RUNS))
def test_softmax_of_rows(shape: tuple[int, int], where: str) -> None:
    x = 4 * random_values(list(shape), "f32", 0)
    found = np.zeros(shape, np.float32)
    RUNS[where](accel_kernels.softmax(*shape), x, found)
    powers = np.exp(x - x.max(-1, keepdims=True).astype(np.float64))
    assert np.allclose(found, powers / powers.sum(-1, keepdims=True), rtol=1e-5, atol=0)


@pytest.mark.parametrize(("size", "where"), sample_cases([1024, 700, 1], RUNS))
def test_elementwise_with_a_masked_tail(size: int, where: str) -> None:
    x, found = random_values([1024], "f16", 0), np.full(1024, 7, np.float32)
    RUNS[where](accel_kernels.masked_kernel(size), x, found)
    wide = x.astype(np.float64)
    wanted = np.where(wide > 0, np.sqrt(np.abs(wide)), -wide)
    assert np.allclose(found[:size], wanted[:size], rtol=2.0**-23, atol=0)
    assert np.all(found[size:] == 7)


BLOCKS_OF_KEYS = [(*sizes, *loop) for sizes in [(64, 48), (37, 50), (1, 3)] for loop in [(32, 1), (64, 2)]]


@pytest.mark.parametrize(("sizes", "where"), sample_cases(BLOCKS_OF_KEYS, RUNS))
def test_attention_of_blocks_of_keys(sizes: tuple[int, int, int, int], where: str) -> None:
    queries, keys, height, stages = sizes
    q, k, v = (random_values([rows, 32], "bf16", seed) for seed, rows in enumerate((queries, keys, keys)))
    found = np.zeros((queries, 32), np.float32)
    RUNS[where](accel_kernels.attention(queries, keys, 32, height, stages), q, k, v, found)
    q, k, v = (operand.astype(np.float64) for operand in (q, k, v))
    scores = q @ k.T / np.sqrt(32)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    weights = powers / powers.sum(-1, keepdims=True)
    # Weights are rounded to bf16, 8 bits, before they meet the values.
    assert np.all(np.abs(found - weights @ v) <= 2.0**-8 * (weights @ np.abs(v)))


@pytest.mark.parametrize("where", RUNS)
def test_values_that_a_loop_carries_crosswise(where: str) -> None:
    x, y = random_values([8], "f32", 0), random_values([8], "f32", 1)
    found = np.zeros((3, 8), np.float32)
    RUNS[where](accel_kernels.carried_values(), x, y, found)
    p, q, s, t = x, y, x, x
    for _ in range(5):
        p, q, s, t = q, p, p, s + (p + t)
    assert np.array_equal(found, [p - s, q, t])


@pytest.mark.parametrize("where", RUNS)
def test_copies_that_run_ahead(where: str) -> None:
    a, b = random_values([40, 52], "f16", 0), random_values([24, 52], "f16", 1)
    found = np.zeros((40, 24), np.float32)
    RUNS[where](accel_rings.ring(40, 24, 52), a, b, found)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64).T
    assert np.all(np.abs(found - wide_a @ wide_b) <= SUM_ERROR * (np.abs(wide_a) @ np.abs(wide_b)))


@pytest.mark.parametrize("where", RUNS)
def test_loops_around_a_product_and_copies_from_before_the_memory(where: str) -> None:
    size, taps = 50, 3
    x, w = random_values([size, 16], "f32", 0), random_values([taps, 16, 8], "f32", 1)
    found = np.zeros((size, 8), np.float32)
    RUNS[where](accel_rings.windows(size, taps), x, w, found)
    padded = np.pad(x.astype(np.float64), ((taps, taps), (0, 0)))
    wanted = np.zeros((size, 8))
    for tap in range(taps):
        for back in range(taps):
            first = taps + tap - back - 1
            wanted += padded[first : first + size] @ w[tap].astype(np.float64)
    assert np.allclose(found, wanted, rtol=0, atol=SUM_ERROR * 50)


@pytest.mark.parametrize("where", RUNS)
def test_tiles_by_way_of_shared_memory(where: str) -> None:
    x, found = random_values([40, 70], "f32", 0), np.zeros((70, 40), np.float32)
    RUNS[where](accel_rings.moves(40, 70), x, found)
    wanted = x.astype(np.float64)
    for row in range(0, 40, 16):
        for column in range(0, 70, 32):
            tile = wanted[row : row + 16, column : column + 32]
            tile /= max(tile.sum(), 0) or 1
    assert np.allclose(found, wanted.T, rtol=1e-4, atol=0)


CONVERSIONS = [(element, wide) for wide in ("f32", "f16") for element in ("f8E4M3FN", "f8E5M2")]


@pytest.mark.parametrize(("types", "where"), sample_cases(CONVERSIONS, RUNS))
def test_floats_of_8_bits(types: tuple[str, str], where: str) -> None:
    """Converts all of them, and rounds all of f16; f32 between two neighbours too."""
    element, wide = types
    every = np.arange(256, dtype=np.uint8).view(TYPES[element])
    found = np.zeros(256, TYPES[wide])
    RUNS[where](accel_kernels.conversion_kernel(256, element, wide), every, found)
    assert np.array_equal(found, every.astype(TYPES[wide]), equal_nan=True)
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(TYPES[wide])
    with np.errstate(all="ignore"):
        if wide == "f32":
            x = np.concatenate([x, np.nextafter(x, np.float32(0)), np.nextafter(x, np.float32(1e6))])
        wanted = x.astype(TYPES[element])
    found = np.zeros(x.shape, TYPES[element])
    RUNS[where](accel_kernels.conversion_kernel(x.size, wide, element), x, found)
    is_nan = np.isnan(wanted.astype(np.float32))
    assert np.array_equal(np.isnan(found.astype(np.float32)), is_nan)
    assert np.array_equal(found.view(np.uint8)[~is_nan], wanted.view(np.uint8)[~is_nan])
