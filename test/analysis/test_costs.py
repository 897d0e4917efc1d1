"""Costs of single ops, against counts by hand."""

from __future__ import annotations

from math import prod

import pytest

from mlc.analysis import Cost, UnknownSizeError, op_cost
from mlc.analysis.flop_counts import flops_function
from mlc.bindings import ir, parse_module
from mlc.dialects import create_context, graph

PLAIN = 'dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHW"'


def cost_of(name: str, attributes: str, operands: str, result: str) -> Cost:
    """The cost of one op; types as in "1x3x8x8xf32 4x3x3x3xf32"."""
    types = [f"tensor<{part}>" for part in operands.split()]
    arguments = ", ".join(f"%a{index}: {type}" for index, type in enumerate(types))
    values = ", ".join(f"%a{index}" for index in range(len(types)))
    text = (
        f"func.func @main({arguments}) -> tensor<{result}> {{\n"
        f'  %0 = "graph.{name}"({values}) {{{attributes}}} : ({", ".join(types)}) -> tensor<{result}>\n'
        f"  return %0 : tensor<{result}>\n}}"
    )
    return first_cost(parse_module(text, create_context(), "t.mlir"))


def first_cost(module: ir.Module) -> Cost:
    """The cost of the first op of the first function."""
    return op_cost(module.body.operations[0].regions[0].blocks[0].operations[0].operation)


@pytest.mark.parametrize(
    ("attributes", "operands", "result", "macs", "weights"),
    [
        # 6x6 positions, 4 channels, 3 channels of 3x3 each.
        (f"group = 1 : i64, strides = array<i64: 1, 1>, {PLAIN}", "1x3x8x8xf32 4x3x3x3xf32", "1x4x6x6xf32",
         4 * 36 * 27, 108),
        # Two groups: each result channel sees 2 of the 4 input channels.
        (f"group = 2 : i64, strides = array<i64: 1, 1>, {PLAIN}", "1x4x8x8xf32 6x2x3x3xf32", "1x6x6x6xf32",
         6 * 36 * 18, 108),
        # Depthwise, stride 2: 9 per result.
        (f"group = 5 : i64, strides = array<i64: 2, 2>, {PLAIN}", "2x5x9x9xf32 5x1x3x3xf32", "2x5x4x4xf32",
         2 * 5 * 16 * 9, 45),
        # Dilation spreads the window and adds no work.
        ('group = 1 : i64, strides = array<i64: 1>, dilations = array<i64: 3>, pads = array<i64: 3, 3>, '
         'layout = "NCHW"', "1x2x10xf32 7x2x3xf32", "1x7x10xf32", 7 * 10 * 6, 42),
        # Blocked: 8 input channels in blocks of 4, 6 output channels in blocks of 2.
        ('group = 1 : i64, strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, '
         'layout = "NCHWc"', "1x2x10x4xf32 3x2x3x4x2xf32", "1x3x8x2xf32", 6 * 8 * 24, 144),
        # Blocked depthwise: 8 channels in blocks of 4.
        ('group = 8 : i64, strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, '
         'layout = "NCHWc"', "1x2x10x4xf32 2x3x4xf32", "1x2x8x4xf32", 8 * 8 * 3, 24),
    ],
    ids=["plain", "grouped", "depthwise", "dilated", "blocked", "blocked depthwise"],
)  # fmt: skip
def test_convolution(attributes: str, operands: str, result: str, macs: int, weights: int) -> None:
    cost = cost_of("conv", attributes, operands, result)
    outputs = prod(int(dim) for dim in result.removesuffix("xf32").split("x"))
    assert (cost.macs, cost.flops) == (macs, 2 * macs)
    assert cost.accesses == macs + weights + outputs


@pytest.mark.parametrize(
    ("operands", "result", "macs", "second"),
    [
        ("2x3xf32 3x5xf32", "2x5xf32", 2 * 3 * 5, 15),
        # Batch dims broadcast: 2 x 7 products of 4x3 by 3x5.
        ("2x1x4x3xf32 7x3x5xf32", "2x7x4x5xf32", 2 * 7 * 4 * 3 * 5, 7 * 15),
        ("3xf32 3x5xf32", "5xf32", 15, 15),
        ("4x3xf32 3xf32", "4xf32", 12, 3),
    ],
)
def test_matmul(operands: str, result: str, macs: int, second: int) -> None:
    cost = cost_of("matmul", "", operands, result)
    outputs = macs // 3
    assert (cost.macs, cost.flops, cost.accesses) == (macs, 2 * macs, macs + second + outputs)


def test_attention_is_two_products_and_a_softmax() -> None:
    operands = "1x2x3x8xf32 1x1x5x8xf32 1x1x5x4xf32"
    cost = cost_of("attention", "scale = 0.5", operands, "1x2x3x4xf32")
    scores = 2 * 3 * 5
    assert cost.macs == scores * (8 + 4)
    assert cost.flops == 2 * cost.macs + 6 * scores
    assert cost.accesses == cost.macs + 40 + 20 + 24


def test_packed_matmul_is_the_matmul() -> None:
    cost = cost_of("matmul_packed", "", "6x3xf32 2x3x4xf32", "6x2x4xf32")
    assert (cost.macs, cost.accesses, cost.moved_bytes) == (6 * 3 * 8, 144 + 24 + 48, 4 * (18 + 24 + 48))


def test_moved_bytes_count_each_value_once_in_its_own_type() -> None:
    cost = cost_of("cast", "saturate = true", "10xf32", "10xi8")
    assert cost == Cost(macs=0, flops=10, accesses=20, moved_bytes=50)
    assert cost.intensity == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("name", "attributes", "operands", "result", "flops", "accesses"),
    [
        ("add", "", "2x3x4xf32 4xf32", "2x3x4xf32", 24, 24 + 4 + 24),
        ("softmax", "axis = 1 : i64", "2x8xf32", "2x8xf32", 80, 32),
        ("reduce_sum", "axes = array<i64: 1>, keepdims = false", "2x8xf32", "2xf32", 16, 18),
        ("max_pool", f"kernel = array<i64: 2, 3>, strides = array<i64: 2, 3>, ceil_mode = false, {PLAIN}",
         "1x2x4x6xf32", "1x2x2x2xf32", 8 * 6, 8 * 6 + 8),
        ("reshape", "shape = array<i64: 6>", "2x3xf32", "6xf32", 0, 0),
        ("transpose", "permutation = array<i64: 1, 0>", "2x3xf32", "3x2xf32", 0, 12),
        # Of a table only the rows that are gathered are read.
        ("gather", "axis = 0 : i64", "1000x8xf32 3xi64", "3x8xf32", 0, 24 + 3 + 24),
        ("gather_nd", "batch_dims = 0 : i64", "10x100x8xf32 3x2xi64", "3x8xf32", 0, 24 + 6 + 24),
        ("scatter_nd", 'reduction = "add"', "50x8xf32 3x1xi64 3x8xf32", "50x8xf32", 24, 400 + 3 + 24 + 400),
        ("scatter_nd", 'reduction = "none"', "50x8xf32 3x1xi64 3x8xf32", "50x8xf32", 0, 400 + 3 + 24 + 400),
        # 3 * 3 elements beside the first pivot, then 2 * 2, then 1.
        ("det", "", "5x4x4xf32", "5xf32", 5 * 2 * (9 + 4 + 1), 80 + 5),
        # A comparison per decision, at most, and an addition per tree and weight.
        (
            "tree_ensemble",
            "depth = 4 : i64",
            "6x5xf32 2x7xi32 29xi32 29xf32 29xi32 20x3xf32",
            "6x2x3xf32",
            6 * 14 * (4 + 3),
            30 + 14 + 29 + 29 + 29 + 60 + 36,
        ),
    ],
)  # fmt: skip
def test_other_ops(name: str, attributes: str, operands: str, result: str, flops: int, accesses: int) -> None:
    cost = cost_of(name, attributes, operands, result)
    assert (cost.macs, cost.flops, cost.accesses) == (0, flops, accesses)


def test_a_value_read_twice_moves_once() -> None:
    text = """func.func @main(%x: tensor<10xf32>) -> tensor<10xf32> {
      %0 = "graph.mul"(%x, %x) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
      return %0 : tensor<10xf32>
    }"""
    assert first_cost(parse_module(text, create_context(), "t.mlir")).moved_bytes == 80


def test_unknown_dims_are_an_error_that_names_the_type() -> None:
    with pytest.raises(UnknownSizeError, match=r"dim 0 of a value of type tensor<\?x3xf32> is not known"):
        cost_of("relu", "", "?x3xf32", "?x3xf32")


@pytest.mark.parametrize("name", graph.specs())
def test_every_op_of_the_dialect_has_a_cost(name: str) -> None:
    assert callable(flops_function(name))
