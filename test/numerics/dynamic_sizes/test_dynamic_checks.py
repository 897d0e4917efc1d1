"""Sizes of a call that ops cannot take are one ValueError; nothing outside of tensors is read or written."""

from __future__ import annotations

import numpy as np
import pytest
from hand_written import Compile, function, inside, is_intact, op, type_of

SIZES = "operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>"
SLICE = op(
    '%s = "graph.slice"(%x) {starts = array<i64: 2, 0>, sizes = array<i64: 4, -1>, steps = array<i64: 1, 1>}',
    "n 8 f32", "4 8 f32",
)  # fmt: skip
BACK = op(
    '%s = "graph.slice"(%x) {starts = array<i64: -3, 0>, sizes = array<i64: -1, 8>, '
    'steps = array<i64: 1, 1>}',
    "n 8 f32", "3 8 f32",
)  # fmt: skip
POOL = op(
    '%r = "graph.max_pool"(%x) {kernel = array<i64: 5>, strides = array<i64: 1>, dilations = array<i64: 1>, '
    'pads = array<i64: 1, 1>, ceil_mode = false, layout = "NCHW"}', "1 2 n f32", "1 2 n f32",
)  # fmt: skip
PAD = op(
    '%r = "graph.pad"(%x) {low = array<i64: 3>, high = array<i64: 0>, mode = "reflect", value = 0.0}',
    "n f32", "n f32",
)  # fmt: skip
TOP = (
    '%r, %i = "graph.top_k"(%x) {axis = 0 : i64, k = 3 : i64, largest = true, sorted = true}'
    " : (tensor<?x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)"
)
FEWER = (
    '%n = "graph.shape_of"(%x) : (tensor<?xf32>) -> tensor<1xi64>',
    f'%d = "graph.sizes"(%n) {{names = ["n"], dims = ["n - 5", "n - 7"], {SIZES}}}'
    " : (tensor<1xi64>) -> tensor<2xi64>",
    '%y = "graph.reshape"(%x, %d) {shape = array<i64: -1, -1>}'
    " : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>",
    op('%r = "graph.reduce_sum"(%y) {axes = array<i64: 0, 1>, keepdims = false}', "a b f32", "f32"),
)
# Dims that data say, whose product 64 bits do not hold.
MANY = (
    f'%d = "graph.sizes"(%s) {{names = ["a", "b"], dims = ["a*b"], {SIZES}}}'
    " : (tensor<2xi64>) -> tensor<1xi64>",
    '%f = "graph.full"(%d) {value = 1.0, graph.dims = [["a*b"]]} : (tensor<1xi64>) -> tensor<?xf32>',
    f'%e = "graph.sizes"(%s) {{names = ["a", "b"], dims = ["a", "b"], {SIZES}}}'
    " : (tensor<2xi64>) -> tensor<2xi64>",
    '%y = "graph.reshape"(%f, %e) {shape = array<i64: -1, -1>}'
    " : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>",
    op('%r = "graph.reduce_sum"(%y) {axes = array<i64: 0, 1>, keepdims = false}', "a b f32", "f32"),
)


CALLS: dict[str, tuple[str, tuple[int, ...], str, tuple[int, ...]]] = {
    "slice": (
        function({"x": "n 8 f32"}, "4 8 f32", SLICE, op('%r = "graph.neg"(%s)', "4 8 f32", "4 8 f32")),
        (5, 8), "slice: it takes elements after the last one: n must be at least 6, got 5 and 6", (6, 8),
    ),
    "slice from the end": (
        function({"x": "n 8 f32"}, "3 8 f32", BACK, op('%r = "graph.neg"(%s)', "3 8 f32", "3 8 f32")),
        (2, 8), "slice: it takes elements before the first one: n - 3 must be at least 0, got -1 and 0",
        (3, 8),
    ),
    "top_k": (
        function({"x": "n 4 f32"}, "3 4 f32", TOP),
        (2, 4), "top_k: it takes more elements than the axis has: n must be at least 3, got 2 and 3", (3, 4),
    ),
    "pool": (
        function({"x": "1 2 n f32"}, "1 2 n f32", POOL),
        (1, 2, 1), "max_pool: its window is larger than x: n - 3 must be at least -1, got -2 and -1",
        (1, 2, 3),
    ),
    "pad": (
        function({"x": "n f32"}, "n f32", PAD),
        (3,), "pad: it adds copies of more elements than a dim has: n must be at least 4, got 3 and 4", (4,),
    ),
    "negative": (
        function({"x": "n f32"}, "f32", *FEWER),
        (3,), "reshape: n - 5 must be at least 0, got -2 and 0", (10,),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_too_small_sizes(compiled: Compile, name: str) -> None:
    text, small, message, _ = CALLS[name]
    x, whole = inside(np.ones(small, np.float32))
    with pytest.raises(ValueError, match=f"^{message}$"):
        compiled(text)(x)
    assert is_intact(whole)


@pytest.mark.parametrize("name", [name for name in CALLS if name != "negative"])
def test_just_large_enough_sizes(compiled: Compile, name: str) -> None:
    text, _, _, shape = CALLS[name]
    x, _ = inside(np.ones(shape, np.float32))
    result = compiled(text)(x)[0]
    assert result.size and np.all(np.abs(result) == 1)


def test_sizes_whose_product_is_too_large(compiled: Compile) -> None:
    program = compiled(function({"s": "2 i64"}, "f32", *MANY))
    assert program(np.array([3, 5]))[0] == 15
    for a, b in ((1 << 33, 1 << 33), ((1 << 32) + 1, 1 << 32), (1 << 62, 4)):
        with pytest.raises(ValueError) as failure:
            program(np.array([a, b]))
        assert str(failure.value) == f"full: a product in the size a*b is too large, got {a} and {b}"


@pytest.mark.parametrize("rows", ["r", "0"])
def test_runs_beyond_the_rows_of_a_stack(compiled: Compile, rows: str) -> None:
    """Write the last row again, and nothing where there is none."""
    loop = """%t = "graph.constant"() {{value = dense<true> : tensor<i1>}} : () -> tensor<i1>
        %l:2 = "graph.loop"(%n, %t, %x) ({{
        ^bb0(%i: tensor<i64>, %go: tensor<i1>, %a: {row}):
          %b = "graph.neg"(%a) : ({row}) -> {row}
          "graph.yield"(%go, %b, %b) {{operandSegmentSizes = array<i32: {yielded}>}}
            : (tensor<i1>, {row}, {row}) -> ()
        }}) {{{dims}operandSegmentSizes = array<i32: {taken}>, resultSegmentSizes = array<i32: {given}>}}
          : (tensor<i64>, tensor<i1>, {row}) -> ({row}, {stack})"""
    dims = 'graph.dims = [["k"], ["r", "k"]], ' if rows == "r" else ""
    width = "k" if rows == "r" else "4"
    segments = {"yielded": (3, 160), "taken": (3, 162), "given": (2, 160)}
    texts = {name: ", ".join(["1"] * n + ["0"] * (all_ - n)) for name, (n, all_) in segments.items()}
    types = {"row": type_of(f"{width} f32"), "stack": type_of(f"{rows} {width} f32")}
    line = op('%r = "graph.exp"(%l#1)', f"{rows} {width} f32", f"{rows} {width} f32")
    text = function(
        {"n": "i64", "x": f"{width} f32", "y": "r f32" if rows == "r" else "f32"},
        f"{rows} {width} f32",
        loop.format(dims=dims, **texts, **types),
        line,
    )
    x, whole = inside(np.ones(4, np.float32))
    program = compiled(text)
    for count in (2, 1, 0) if rows == "r" else (0,):
        y = np.zeros(count if rows == "r" else (), np.float32)
        (result,) = program(np.array(3), x, y)
        assert result.shape == (count, 4)
        # The last run of three writes -1.
        np.testing.assert_allclose(result[-1:], np.exp(-1), rtol=1e-6)
    assert is_intact(whole)


def test_scatter_by_indices_of_wrong_length(compiled: Compile) -> None:
    """The ranks of the operands say how many dims an index has."""
    line = op(
        '%r = "graph.scatter_nd"(%x, %i, %u) {reduction = "none"}', "4 1 f32", "n k i64", "n 1 f32", "4 1 f32"
    )
    program = compiled(function({"x": "4 1 f32", "i": "n k i64", "u": "n 1 f32"}, "4 1 f32", line))
    x, updates = np.zeros((4, 1), np.float32), np.ones((2, 1), np.float32)
    assert program(x, np.array([[1], [3]]), updates)[0].ravel().tolist() == [0, 1, 0, 1]
    message = (
        "the last dim of its indices is not the number of dims that updates lack: k must be 1, got 2 and 1"
    )
    with pytest.raises(ValueError, match=f"^scatter_nd: {message}$"):
        program(x, np.array([[1, 0], [3, 0]]), updates)
