"""Elementwise kernels, reductions, data movement and pooling as programs of thread blocks: on the CPU, and as
threads in the emulator, against NumPy in f64."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import accel_gpu
import accel_programs
import numpy as np
import pytest
from sampled_runs import sample_cases
from tile_kernels import (
    TileCase,
    check,
    dtype_of,
    integers,
    normalise,
    op,
    random_values,
    return_op,
    single,
    softmax,
)

RUNS = {"cpu": accel_programs.run, "sm_80": accel_gpu.run}


def pool(x: np.ndarray, kernel: Sequence[int], strides: Sequence[int], join: str) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel, (2, 3))
    return getattr(windows[:, :, :: strides[0], :: strides[1]], join)((-2, -1))


def pool_attributes(kernel: Sequence[int], strides: Sequence[int], layout: str = "NCHW") -> str:
    return (
        f"kernel = array<i64: {kernel[0]}, {kernel[1]}>, strides = array<i64: {strides[0]}, {strides[1]}>, "
        "dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, ceil_mode = false, "
        f'layout = "{layout}"'
    )


def neighbours(x: np.ndarray) -> np.ndarray:
    padded = np.pad(x**2, ((0, 0), (2, 2), (0, 0), (0, 0)))
    sums = sum(padded[:, at : at + x.shape[1]] for at in range(5))
    return x / (1 + 1e-2 / 5 * sums) ** 0.75


def to_plain(x: np.ndarray) -> np.ndarray:
    """Returns a tensor of layout NCHWc as NCHW."""
    return np.moveaxis(x, -1, 2).reshape(x.shape[0], -1, *x.shape[2:4])


def rounded_to(element: str) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: x.astype(dtype_of(element)).astype(np.float64)


ELEMENTWISE = {
    "rank 0": single("exp", ["f32"], "f32", np.exp),
    "f16": single("mul", ["3x70xf16", "3x70xf16"], "3x70xf16", np.multiply, tolerance=1e-3),
    "bf16": single("add", ["5x33xbf16", "33xbf16"], "5x33xbf16", np.add, tolerance=1e-2),
    "f64": single("sqrt", ["40xf64"], "40xf64", np.sqrt, values=[lambda rng, shape: rng.random(shape)]),
    "integers": single(
        "div", ["7x9xi32", "7x9xi32"], "7x9xi32", lambda a, b: np.trunc(a / b),
        values=[integers(-99, 99), integers(1, 9)],
    ),
    "cast to integers": single("cast", ["100xf32"], "100xi64", np.trunc, "saturate = true"),
    "cast to floats of 8 bits": single("cast", ["3x100xf32"], "3x100xf8E4M3FN", rounded_to("f8E4M3FN"),
        "saturate = true"),
    "cast of floats of 8 bits": single("cast", ["3x100xf8E5M2"], "3x100xbf16", np.positive,
        "saturate = true"),
    "cast between floats of 8 bits": single("cast", ["101xf8E5M2"], "101xf8E4M3FN", rounded_to("f8E4M3FN"),
        "saturate = true"),
    "transposed floats of 8 bits": single("transpose", ["40x70xf8E4M3FN"], "70x40xf8E4M3FN", np.transpose,
        "permutation = array<i64: 1, 0>"),
    "cast of bytes": single("cast", ["3x100xui8"], "3x100xf32", lambda x: x, "saturate = true",
                            values=[integers(0, 255)]),
    "comparison": single("less", ["6x50xf32", "50xf32"], "6x50xi1", np.less),
    "where": single(
        "where", ["4x40xi1", "4x40xf32", "f32"], "4x40xf32", np.where,
        values=[lambda rng, shape: rng.random(shape) < 0.5],
    ),
    "and of booleans": single(
        "and", ["3x5xi1", "3x5xi1"], "3x5xi1", np.logical_and,
        values=[lambda rng, shape: rng.random(shape) < 0.5] * 2,
    ),
    "one dim for many": single("neg", ["2x3x7x7x16xf32"], "2x3x7x7x16xf32", np.negative),
    "factors of channels": single(
        "mul", ["2x24x7x7xf32", "24x1x1xf32"], "2x24x7x7xf32", np.multiply
    ),
    "range": single(
        "range", ["f32", "f32", "f32"], "50xf32", lambda start, _limit, delta: start + np.arange(50) * delta
    ),
    "trilu": single("trilu", ["2x30x40xf32"], "2x30x40xf32", lambda x: np.tril(x, 1),
                    "upper = false, k = 1 : i64"),
    "two results": TileCase(
        ["3x500xf32"], ["3x500xf32", "3x500xf32"],
        op("a", "neg", "%0", ["3x500xf32"] * 2) + op("b", "relu", "%0", ["3x500xf32"] * 2)
        + return_op("a b", ["3x500xf32"] * 2),
        lambda x: (-x, np.maximum(x, 0)),
    ),
    "a result of a result": TileCase(
        ["40x50xf32"], ["40x50xf32", "40xf32"],
        op("a", "exp", "%0", ["40x50xf32"] * 2)
        + op("b", "reduce_sum", "%a", ["40x50xf32", "40xf32"], "axes = array<i64: 1>, keepdims = false")
        + return_op("a b", ["40x50xf32", "40xf32"]),
        lambda x: (np.exp(x), np.exp(x).sum(1)),
    ),
}  # fmt: skip

REDUCTIONS = {
    "all": single("reduce_sum", ["30x40xf32"], "f32", np.sum, "axes = array<i64: 0, 1>, keepdims = false"),
    "all of much": single(
        "reduce_max", ["3x7000xf32"], "1x1xf32", lambda x: x.max(keepdims=True),
        "axes = array<i64: 0, 1>, keepdims = true",
    ),
    "columns": single(
        "reduce_mean", ["2x50x40xf32"], "2x40xf32", lambda x: x.mean(1),
        "axes = array<i64: 1>, keepdims = false",
    ),
    "long columns": single(
        "reduce_sum", ["9000x6xf32"], "6xf32", lambda x: x.sum(0), "axes = array<i64: 0>, keepdims = false",
        tolerance=1e-4,
    ),
    "long rows": single(
        "reduce_sum_square", ["3x10001xf32"], "3x1xf32", lambda x: (x**2).sum(1, keepdims=True),
        "axes = array<i64: 1>, keepdims = true", tolerance=1e-4,
    ),
    "middle and last": single(
        "reduce_min", ["3x10x4x20xf32"], "3x4xf32", lambda x: x.min((1, 3)),
        "axes = array<i64: 1, 3>, keepdims = false",
    ),
    "f16": single(
        "reduce_sum", ["20x60xf16"], "20xf16", lambda x: x.sum(1), "axes = array<i64: 1>, keepdims = false",
        tolerance=2e-3,
    ),
    "f64": single(
        "reduce_prod", ["4x9xf64"], "4xf64", lambda x: x.prod(1), "axes = array<i64: 1>, keepdims = false",
        tolerance=1e-12,
    ),
    "integers": single(
        "reduce_max", ["5x70xi64"], "5xi64", lambda x: x.max(1), "axes = array<i64: 1>, keepdims = false",
        values=[integers(-(1 << 40), 1 << 40)],
    ),
    "log_sum_exp": single(
        "reduce_log_sum_exp", ["9x50xf32"], "9xf32", lambda x: np.log(np.exp(x).sum(1)),
        "axes = array<i64: 1>, keepdims = false",
    ),
    "softmax of columns": single("softmax", ["2x50x40xf32"], "2x50x40xf32", lambda x: softmax(x, 1),
                                 "axis = 1 : i64"),
    "softmax of very long rows": single("softmax", ["2x9001xf32"], "2x9001xf32", softmax, "axis = 1 : i64"),
    "log_softmax": single("log_softmax", ["7x100xf32"], "7x100xf32", lambda x: np.log(softmax(x)),
                          "axis = 1 : i64"),
    "layer_norm of two dims": single(
        "layer_norm", ["5x6x50xf32"], "5x6x50xf32", lambda x: normalise(x, (1, 2)),
        "axes = array<i64: 1, 2>, epsilon = 1.0e-5 : f64",
    ),
    "layer_norm of very long rows": single(
        "layer_norm", ["2x3x3000xf32"], "2x3x3000xf32", lambda x: normalise(x, (1, 2)),
        "axes = array<i64: 1, 2>, epsilon = 1.0e-5 : f64",
    ),
    "rms_norm": single(
        "rms_norm", ["9x128xf32"], "9x128xf32", lambda x: x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-5),
        "axes = array<i64: 1>, epsilon = 1.0e-5 : f64",
    ),
    "arg_max": single(
        "arg_max", ["5x70xf32"], "5xi64", lambda x: x.argmax(1),
        "axis = 1 : i64, keepdims = false, select_last_index = false",
    ),
    "arg_min of columns": single(
        "arg_min", ["70x5xf32"], "1x5xi64", lambda x: x.argmin(0, keepdims=True),
        "axis = 0 : i64, keepdims = true, select_last_index = true",
    ),
}  # fmt: skip

MOVES = {
    "transpose of a matrix": single("transpose", ["70x45xf32"], "45x70xf32", np.transpose,
                                    "permutation = array<i64: 1, 0>"),
    "transpose of f16": single("transpose", ["3x40x64xf16"], "3x64x40xf16", lambda x: x.transpose(0, 2, 1),
                               "permutation = array<i64: 0, 2, 1>"),
    "transpose of outer dims": single("transpose", ["5x6x7x32xf32"], "5x7x6x32xf32",
                                      lambda x: x.transpose(0, 2, 1, 3),
                                      "permutation = array<i64: 0, 2, 1, 3>"),
    "embedding": single("gather", ["50x33xf32", "7xi64"], "7x33xf32", lambda x, at: x[at], "axis = 0 : i64",
                        values=[random_values, integers(-50, 50)]),
    "embedding in pieces of 16 bytes": single(
        "gather", ["50x36xf32", "7xi64"], "7x36xf32", lambda x, at: x[at], "axis = 0 : i64",
        values=[random_values, integers(-50, 50)],
    ),
    "gather of columns": single("gather", ["6x50xf32", "2x3xi64"], "6x2x3xf32", lambda x, at: x[:, at],
                                "axis = 1 : i64", values=[random_values, integers(-50, 50)]),
    "weighted rows": TileCase(
        ["6x30x40xf32", "9xi32", "9xi32", "9x1xf32", "9x1xf32"], ["6x9x40xf32"],
        op("a", "gather", "%0, %1", ["6x30x40xf32", "9xi32", "6x9x40xf32"], "axis = 1 : i64")
        + op("b", "mul", "%a, %3", ["6x9x40xf32", "9x1xf32", "6x9x40xf32"])
        + op("c", "gather", "%0, %2", ["6x30x40xf32", "9xi32", "6x9x40xf32"], "axis = 1 : i64")
        + op("d", "mul", "%c, %4", ["6x9x40xf32", "9x1xf32", "6x9x40xf32"])
        + op("e", "add", "%b, %d", ["6x9x40xf32"] * 3) + return_op("e", ["6x9x40xf32"]),
        lambda x, i, j, v, w: x[:, i] * v + x[:, j] * w,
        values=[random_values, integers(0, 29), integers(0, 29)],
    ),
    "gather at computed indices": TileCase(
        ["700xf32", "5x1x9xi32", "1x4x1xi32", "5x1x9xf32"], ["5x4x9xf32"],
        op("a", "add", "%1, %2", ["5x1x9xi32", "1x4x1xi32", "5x4x9xi32"])
        + op("b", "gather", "%0, %a", ["700xf32", "5x4x9xi32", "5x4x9xf32"], "axis = 0 : i64")
        + op("c", "mul", "%b, %3", ["5x4x9xf32", "5x1x9xf32", "5x4x9xf32"]) + return_op("c", ["5x4x9xf32"]),
        lambda x, i, j, w: x[i + j] * w,
        values=[random_values, integers(0, 300), integers(0, 300)],
    ),
    "gather_elements": single(
        "gather_elements", ["9x50xf32", "9x20xi64"], "9x20xf32",
        lambda x, at: np.take_along_axis(x, np.where(at < 0, at + 50, at), 1), "axis = 1 : i64",
        values=[random_values, integers(-50, 50)],
    ),
    "gather_nd": single(
        "gather_nd", ["3x9x50xf32", "3x7x1xi64"], "3x7x50xf32",
        lambda x, at: x[np.arange(3)[:, None], at[..., 0]], "batch_dims = 1 : i64",
        values=[random_values, integers(-9, 9)],
    ),
    "concat": single("concat", ["3x5x20xf32", "3x8x20xf32", "3x5x20xf32"], "3x18x20xf32",
                     lambda *parts: np.concatenate(parts, 1),
                     "axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>"),
    "concat of last dims": single("concat", ["30x5xf32", "30x40xf32"], "30x45xf32",
                                  lambda *parts: np.concatenate(parts, 1),
                                  "axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>"),
    "concat in pieces of 16 bytes": single(
        "concat", ["30x12xf32", "30x40xf32"], "30x52xf32", lambda *parts: np.concatenate(parts, 1),
        "axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>",
    ),
    "concat with itself": TileCase(
        ["30x5xf32"], ["30x10xf32"],
        op("r", "concat", "%0, %0", ["30x5xf32", "30x5xf32", "30x10xf32"],
             "axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>")
        + return_op("r", ["30x10xf32"]), lambda x: np.concatenate([x, x], 1),
    ),
    "slice with steps": single(
        "slice", ["20x50xf32"], "9x16xf32", lambda x: x[2:20:2, 1:49:3],
        "starts = array<i64: 2, 1>, sizes = array<i64: 9, 16>, steps = array<i64: 2, 3>",
    ),
    "slice in reverse": single(
        "slice", ["20x50xf32"], "20x50xf32", lambda x: x[:, ::-1],
        "starts = array<i64: 0, 49>, sizes = array<i64: 20, 50>, steps = array<i64: 1, -1>",
    ),
    "slice at an odd offset": single(
        "slice", ["20x64xf32"], "20x32xf32", lambda x: x[:, 3:35],
        "starts = array<i64: 0, 3>, sizes = array<i64: 20, 32>, steps = array<i64: 1, 1>",
    ),
    "pad": single(
        "pad", ["2x10x30xf32"], "2x13x33xf32",
        lambda x: np.pad(x, ((0, 0), (1, 2), (2, 1)), constant_values=7),
        'low = array<i64: 0, 1, 2>, high = array<i64: 0, 2, 1>, mode = "constant", value = 7.0 : f64',
    ),
    "pad of what is computed": TileCase(
        ["2x10x30xf32"], ["2x12x32xf32"],
        op("a", "relu", "%0", ["2x10x30xf32"] * 2)
        + op("r", "pad", "%a", ["2x10x30xf32", "2x12x32xf32"],
             'low = array<i64: 0, 1, 1>, high = array<i64: 0, 1, 1>, mode = "constant", value = 0.0 : f64')
        + return_op("r", ["2x12x32xf32"]),
        lambda x: np.pad(np.maximum(x, 0), ((0, 0), (1, 1), (1, 1))),
    ),
    "reflected pad": single(
        "pad", ["10x30xf32"], "14x33xf32", lambda x: np.pad(x, ((1, 3), (2, 1)), "reflect"),
        'low = array<i64: 1, 2>, high = array<i64: 3, 1>, mode = "reflect", value = 0.0 : f64',
    ),
    "expand": single("expand", ["3x1x20xf32"], "4x3x5x20xf32", lambda x: np.broadcast_to(x, (4, 3, 5, 20)),
                     "shape = array<i64: 4, 3, 5, 20>"),
    "tile": single("tile", ["3x20xf32"], "6x60xf32", lambda x: np.tile(x, (2, 3)),
                   "repeats = array<i64: 2, 3>"),
    "cumsum": single("cumsum", ["5x40xf32"], "5x40xf32", lambda x: x.cumsum(1),
                     "axis = 1 : i64, exclusive = false, reverse = false"),
    "cumsum of columns from the end": single(
        "cumsum", ["2x37x40xf32"], "2x37x40xf32", lambda x: x[:, ::-1].cumsum(1)[:, ::-1] - x,
        "axis = 1 : i64, exclusive = true, reverse = true",
    ),
    "cumsum of long rows": single(
        "cumsum", ["2x2500xbf16"], "2x2500xbf16", lambda x: x.cumsum(1),
        "axis = 1 : i64, exclusive = false, reverse = false", tolerance=1e-2,
    ),
    "cumsum of a long row from the end": single(
        "cumsum", ["1500xi32"], "1500xi32", lambda x: x[::-1].cumsum()[::-1],
        "axis = 0 : i64, exclusive = false, reverse = true", values=[integers(-99, 99)],
    ),
    "cumprod": single("cumprod", ["5x40xf32"], "5x40xf32", lambda x: x.cumprod(1),
                      "axis = 1 : i64, exclusive = false, reverse = false"),
    "cumprod of columns from the end": single(
        "cumprod", ["2x7x40xi32"], "2x7x40xi32",
        lambda x: np.concatenate([x[:, :0:-1].cumprod(1)[:, ::-1], np.ones_like(x[:, :1])], 1),
        "axis = 1 : i64, exclusive = true, reverse = true", values=[integers(-3, 4)],
    ),
    "lrn": single("lrn", ["1x9x6x5xf32"], "1x9x6x5xf32", neighbours,
                  "size = 5 : i64, alpha = 1.0e-2 : f64, beta = 0.75 : f64, bias = 1.0 : f64, "
                  'layout = "NCHW"'),
}  # fmt: skip

POOLS = {
    "max": single("max_pool", ["1x5x15x17xf32"], "1x5x7x8xf32", lambda x: pool(x, (3, 3), (2, 2), "max"),
                  pool_attributes((3, 3), (2, 2))),
    "max of steps of 1": single("max_pool", ["1x3x9x18xf32"], "1x3x7x16xf32",
                                lambda x: pool(x, (3, 3), (1, 1), "max"), pool_attributes((3, 3), (1, 1))),
    "mean": single(
        "average_pool", ["2x4x12x12xf32"], "2x4x6x6xf32", lambda x: pool(x, (2, 2), (2, 2), "mean"),
        pool_attributes((2, 2), (2, 2)) + ", count_include_pad = false",
    ),
    "mean of all": single(
        "average_pool", ["2x20x7x7xf32"], "2x20x1x1xf32", lambda x: pool(x, (7, 7), (1, 1), "mean"),
        pool_attributes((7, 7), (1, 1)) + ", count_include_pad = false",
    ),
    "max with padding": TileCase(
        ["1x1x9x11x8xf32"], ["1x1x5x6x8xf32"],
        op("a", "pad", "%0", ["1x1x9x11x8xf32", "1x1x11x13x8xf32"],
           "graph.rematerialize, low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, "
           'mode = "constant", value = 0xFFF0000000000000 : f64')
        + op("r", "max_pool", "%a", ["1x1x11x13x8xf32", "1x1x5x6x8xf32"],
             pool_attributes((3, 3), (2, 2), "NCHWc"))
        + return_op("r", ["1x1x5x6x8xf32"]),
        lambda x: np.moveaxis(
            pool(np.pad(np.moveaxis(x[0], -1, 1), ((0, 0), (0, 0), (1, 1), (1, 1)),
                          constant_values=-np.inf), (3, 3), (2, 2), "max"), 1, -1)[None],
    ),
    "max in blocks": single(
        "max_pool", ["1x3x9x9x8xf32"], "1x3x4x4x8xf32",
        lambda x: pool(to_plain(x), (3, 3), (2, 2), "max").reshape(1, 3, 8, 4, 4).transpose(0, 1, 3, 4, 2),
        pool_attributes((3, 3), (2, 2), "NCHWc"),
    ),
}  # fmt: skip

CASES = {
    f"{family}: {name}": case
    for family, cases in {
        "elementwise": ELEMENTWISE,
        "reduction": REDUCTIONS,
        "move": MOVES,
        "pool": POOLS,
    }.items()
    for name, case in cases.items()
}


@pytest.mark.parametrize(("name", "where"), sample_cases(CASES, RUNS))
def test_kernels(name: str, where: str) -> None:
    check(CASES[name], RUNS[where])
