"""Groups of pieces for test_shapes: operators on shapes where tiles, vectors and loops have odd ends.

A group is a function that fills a `Pieces`; `GROUPS` names them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations, product

import numpy as np
from onnx import TensorProto
from pieces import Pieces

Group = Callable[[Pieces], None]
GROUPS: dict[str, Group] = {}
# Groups that take more than a few seconds.
SLOW: set[str] = set()
_RNG = np.random.default_rng(0)


def random(*shape: int, dtype: str = "float32") -> np.ndarray:
    """Random values in [-2, 2)."""
    return _RNG.uniform(-2, 2, shape).astype(dtype)


def group(name: str, *, slow: bool = False) -> Callable[[Group], Group]:
    def register(function: Group) -> Group:
        GROUPS[name] = function
        if slow:
            SLOW.add(name)
        return function

    return register


def text(*parts: object) -> str:
    """A piece's name."""
    return "_".join("x".join(map(str, part)) if isinstance(part, tuple) else str(part) for part in parts)


@group("elementwise")
def elementwise(pieces: Pieces) -> None:
    for shape in (
        (),
        (1,),
        (3,),
        (17,),
        (33,),
        (197,),
        (1, 1),
        (3, 17),
        (197, 33),
        (2, 3, 1, 5, 1, 2),
        (0,),
        (3, 0),
        (70000,),
    ):
        pieces.add(text("exp", shape), "Exp", random(*shape))


@group("broadcasting")
def broadcasting(pieces: Pieces) -> None:
    pairs = (
        ((), ()), ((), (3,)), ((17,), ()), ((1,), (33,)), ((3, 1), (1, 17)), ((3, 1, 17), (5, 1)),
        ((197,), (3, 197)),
        ((1, 1), (33, 197)), ((2, 1, 3, 1), (4, 1, 5)), ((0,), (1,)), ((3, 0), (3, 1)), ((2, 0, 4), (4,)),
        ((1, 65536), (3, 1)),
    )  # fmt: skip
    for a, b in pairs:
        pieces.add(text("add", a, b), "Add", random(*a), random(*b))
        pieces.add(text("less", a, b), "Less", random(*a), random(*b), out=TensorProto.BOOL)
    for c, x, y in (((3, 1), (17,), (3, 17)), ((), (5,), ()), ((2, 1, 1), (3, 1), (33,))):
        pieces.add(
            text("where", c, x, y), "Where", random(*c) > 0, random(*x), random(*y), out=TensorProto.FLOAT
        )


@group("matmul")
def matmul(pieces: Pieces) -> None:
    sizes = [
        (1, 1, 1), (1, 3, 17), (3, 1, 33), (17, 33, 1), (33, 17, 3), (1, 197, 33), (197, 33, 17), (33,
        197, 197),
        (3, 33, 64), (17, 64, 128), (13, 100, 96),
    ]  # fmt: skip
    for m, k, n in sizes:
        pieces.add(text("matmul", (m, k, n)), "MatMul", random(m, k), random(k, n))
        weights = pieces.constant(text("w", (m, k, n)), random(k, n))
        pieces.add(text("by_weights", (m, k, n)), "MatMul", random(m, k), weights)


@group("matmul of all odd sizes", slow=True)
def matmul_all(pieces: Pieces) -> None:
    for m, k, n in product((1, 3, 17, 33, 197), repeat=3):
        pieces.add(text("matmul", (m, k, n)), "MatMul", random(m, k), random(k, n))


@group("matmul with batches and vectors")
def matmul_batched(pieces: Pieces) -> None:
    pairs = (
        ((5,), (5,)), ((1,), (1,)), ((197,), (197,)), ((3, 5), (5,)), ((5,), (5, 3)), ((2, 3, 5), (5,)),
        ((5,), (2, 5, 3)),
        ((2, 3, 5), (5, 7)), ((3, 5), (2, 5, 7)), ((2, 1, 3, 5), (4, 5, 7)), ((2, 3, 17, 33), (2, 3, 33,
        17)),
        ((1, 3, 5), (6, 5, 1)), ((7, 1, 64), (7, 64, 33)), ((12, 1, 64), (12, 64, 128)), ((2, 1, 5), (2,
        5, 1)),
    )  # fmt: skip
    for a, b in pairs:
        pieces.add(text("matmul", a, b), "MatMul", random(*a), random(*b))
    for flags in product((0, 1), repeat=2):
        left = (33, 17) if flags[0] else (17, 33)
        right = (5, 33) if flags[1] else (33, 5)
        pieces.add(
            text("gemm", *flags),
            "Gemm",
            random(*left),
            random(*right),
            random(5),
            transA=flags[0],
            transB=flags[1],
        )


@group("convolution")
def convolution(pieces: Pieces) -> None:
    cases: list[tuple[tuple[int, ...], tuple[int, ...], dict]] = [
        ((1, 3, 17, 17), (8, 3, 3, 3), {}),
        ((2, 3, 17, 19), (5, 3, 3, 3), {"pads": [1, 1, 1, 1]}),
        ((1, 3, 33, 33), (16, 3, 7, 7), {"strides": [2, 2], "pads": [3, 3, 3, 3]}),
        ((1, 16, 14, 14), (32, 16, 3, 3), {"pads": [1, 1, 1, 1]}),
        ((1, 16, 15, 13), (32, 16, 1, 1), {"strides": [2, 2]}),
        ((1, 17, 7, 7), (33, 17, 1, 1), {}),
        ((2, 32, 7, 7), (32, 1, 3, 3), {"group": 32, "pads": [1, 1, 1, 1]}),
        ((1, 33, 9, 9), (33, 1, 3, 3), {"group": 33, "strides": [2, 2]}),
        ((1, 32, 8, 8), (64, 8, 3, 3), {"group": 4, "pads": [1, 1, 1, 1]}),
        ((1, 6, 9, 9), (9, 2, 3, 3), {"group": 3, "dilations": [2, 2]}),
        ((1, 8, 17, 11), (8, 8, 3, 2), {"dilations": [2, 3], "pads": [2, 1, 0, 3]}),
        ((1, 4, 6, 6), (8, 4, 6, 6), {}),
        ((1, 1, 5, 5), (1, 1, 1, 1), {}),
        ((3, 5, 21), (7, 5, 3), {"pads": [1, 1]}),
        ((1, 16, 33), (32, 16, 5), {"strides": [2]}),
        ((1, 16, 40), (16, 1, 3), {"group": 16, "dilations": [2]}),
        ((1, 3, 5, 6, 7), (4, 3, 3, 3, 3), {"pads": [1, 1, 1, 1, 1, 1]}),
        ((1, 16, 4, 5, 6), (16, 16, 2, 2, 2), {"strides": [1, 2, 2]}),
        ((1, 4, 5, 5, 5), (4, 1, 3, 3, 3), {"group": 4}),
    ]
    for index, (x, w, attributes) in enumerate(cases):
        pieces.add(text("conv", index, x, w), "Conv", random(*x), random(*w), **attributes)
        weights = pieces.constant(text("w", index), random(*w))
        pieces.add(text("by_weights", index, x, w), "Conv", random(*x), weights, random(w[0]), **attributes)


@group("pooling")
def pooling(pieces: Pieces) -> None:
    shapes = ((1, 3, 17, 17), (2, 16, 13, 15), (1, 33, 7, 7))
    windows: list[dict] = [
        {"kernel_shape": [2, 2], "strides": [2, 2]},
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
        {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
        {"kernel_shape": [3, 2], "strides": [3, 2], "pads": [1, 0, 1, 1], "ceil_mode": 1},
        {"kernel_shape": [3, 3], "strides": [1, 1], "auto_pad": "SAME_UPPER"},
        {"kernel_shape": [2, 2], "strides": [2, 1], "auto_pad": "SAME_LOWER"},
    ]
    for (index, window), shape in product(enumerate(windows), shapes):
        pieces.add(text("max", index, shape), "MaxPool", random(*shape), **window)
        pieces.add(text("average", index, shape), "AveragePool", random(*shape), **window)
        if "auto_pad" not in window:
            pieces.add(
                text("counted", index, shape), "AveragePool", random(*shape), count_include_pad=1, **window
            )
    pieces.add("max_dilated", "MaxPool", random(1, 5, 17, 17), kernel_shape=[3, 3], dilations=[2, 3])
    for op in ("MaxPool", "AveragePool"):
        pieces.add(text(op, "1d"), op, random(2, 3, 33), kernel_shape=[3], strides=[2], pads=[1, 1])
        pieces.add(text(op, "3d"), op, random(1, 3, 7, 8, 9), kernel_shape=[2, 3, 2], strides=[2, 2, 2])
    for op in ("GlobalAveragePool", "GlobalMaxPool"):
        for shape in ((1, 3, 17), (2, 33, 7, 7), (1, 5, 3, 4, 5), (1, 2048, 7, 7), (1, 16, 112, 112)):
            pieces.add(text(op, shape), op, random(*shape))


REDUCTIONS = (
    *("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2"),
    *("ReduceLogSumExp", "ReduceSumSquare"),
)


@group("reduction over every set of axes")
def reduction(pieces: Pieces) -> None:
    for count in (1, 2, 3):
        for axes in combinations(range(3), count):
            for keep in (0, 1):
                for op in ("ReduceSum", "ReduceMax", "ReduceMean"):
                    pieces.add(text(op, axes, keep), op, random(3, 17, 33), _ints(*axes), keepdims=keep)


@group("every reduction")
def reductions(pieces: Pieces) -> None:
    for op, (shape, axis) in product(REDUCTIONS, (((5, 197), 1), ((197, 5), 0), ((1, 1), 0), ((17,), 0))):
        pieces.add(text(op, shape, axis), op, random(*shape) * np.float32(0.5), _ints(axis))


@group("reduction of large tensors")
def reduction_large(pieces: Pieces) -> None:
    for shape, axes in (
        ((300000,), (0,)),
        ((3, 100000), (1,)),
        ((1000, 300), (0,)),
        ((64, 64, 64), (0, 2)),
        ((500, 500), (0, 1)),
    ):
        for op in ("ReduceSum", "ReduceMax", "ReduceLogSumExp", "ReduceL2"):
            # Of one sign: the sum of many numbers of both is small, and its error is not.
            pieces.add(text(op, shape, axes), op, np.abs(random(*shape)), _ints(*axes))


@group("positions and scans")
def positions(pieces: Pieces) -> None:
    for shape in ((3, 17, 33), (1, 197, 2)):
        for axis in range(3):
            x = np.round(random(*shape) * 3)
            for op, last, keep in (("ArgMax", 0, 1), ("ArgMax", 1, 0), ("ArgMin", 0, 0), ("ArgMin", 1, 1)):
                pieces.add(
                    text(op, shape, axis, last),
                    op,
                    x,
                    out=TensorProto.INT64,
                    axis=axis,
                    select_last_index=last,
                    keepdims=keep,
                )
            for exclusive, reverse in product((0, 1), repeat=2):
                pieces.add(
                    text("cumsum", shape, axis, exclusive, reverse),
                    "CumSum", random(*shape), np.int64(axis), exclusive=exclusive, reverse=reverse,
                )  # fmt: skip


@group("softmax and normalisation")
def softmax(pieces: Pieces) -> None:
    for shape, axis in (((3, 17, 33), 0), ((3, 17, 33), 1), ((3, 17, 33), 2), ((1, 5000), 1), ((5000, 3),
    0), ((197, 197), -1),
                        ((1,), 0), ((4, 1), 1), ((2, 3, 5, 7), 1), ((12, 128, 128), -1)):  # fmt: skip
        for op in ("Softmax", "LogSoftmax"):
            pieces.add(text(op, shape, axis), op, random(*shape) * 5, axis=axis)
    for shape, axis in (((3, 17, 33), -1), ((3, 17, 33), 1), ((2, 5000), -1), ((197, 768), -1), ((5, 1), -1)):
        scale = random(*shape[axis:])
        pieces.add(
            text("layer_norm", shape, axis), "LayerNormalization", random(*shape), scale, scale, axis=axis
        )
    for shape in ((2, 3, 5, 7), (1, 17, 33)):
        pieces.add(
            text("instance_norm", shape),
            "InstanceNormalization",
            random(*shape),
            random(shape[1]),
            random(shape[1]),
        )


@group("movement")
def movement(pieces: Pieces) -> None:
    for order in permutations(range(3)):
        pieces.add(text("transpose", order), "Transpose", random(3, 17, 33), perm=order)
    pieces.add("transpose_large", "Transpose", random(197, 513), perm=[1, 0])
    pieces.add("transpose_5d", "Transpose", random(2, 3, 5, 7, 3), perm=[4, 2, 0, 3, 1])
    for axis in range(3):
        parts = [random(*(size if dim == axis else 5 for dim in range(3))) for size in (1, 17, 3)]
        pieces.add(text("concat", axis), "Concat", *parts, axis=axis)
    pieces.add("concat_many", "Concat", *(random(2, size) for size in range(1, 12)), axis=1)
    for axis in range(3):
        pieces.add(
            text("gather", axis), "Gather", random(3, 17, 33), np.array([[0, -1, 2], [1, 1, -3]]), axis=axis
        )
    pieces.add("tile", "Tile", random(3, 5), _ints(2, 3))
    pieces.add("expand", "Expand", random(3, 1, 5), _ints(2, 1, 17, 1))
    for mode in ("constant", "edge", "reflect", "wrap"):
        pieces.add(text("pad", mode), "Pad", random(3, 17, 5), _ints(0, 3, 2, 1, 0, 4), mode=mode)
    pieces.add("slice", "Slice", random(17, 33), _ints(-1, 3), _ints(-20, 30), _ints(0, 1), _ints(-3, 4))
    pieces.add("space_to_depth", "SpaceToDepth", random(1, 3, 6, 8), blocksize=2)


def _ints(*values: int) -> list[np.int64]:
    return [np.int64(value) for value in values]


@group("no elements")
def empty(pieces: Pieces) -> None:
    pieces.add("relu", "Relu", random(0))
    pieces.add("relu_2d", "Relu", random(3, 0, 2))
    pieces.add("matmul_rows", "MatMul", random(0, 3), random(3, 5))
    pieces.add("matmul_inner", "MatMul", random(2, 0), random(0, 3))
    pieces.add("concat", "Concat", random(2, 0), random(2, 3), axis=1)
    pieces.add("concat_only", "Concat", random(0), random(0), axis=0)
    pieces.add("transpose", "Transpose", random(0, 3), perm=[1, 0])
    pieces.add("sum", "ReduceSum", random(0, 3), _ints(0))
    pieces.add("sum_outer", "ReduceSum", random(0, 3), _ints(1))
    pieces.add("softmax", "Softmax", random(0, 3))
    pieces.add("softmax_none", "Softmax", random(3, 0))
    pieces.add("gather", "Gather", random(3, 2), np.zeros((0,), np.int64))
    pieces.add("conv", "Conv", random(0, 3, 5, 5), random(2, 3, 3, 3))
    pieces.add("expand", "Expand", random(1), _ints(0))
    pieces.add("cast", "Cast", random(0, 2), out=TensorProto.INT32, to=TensorProto.INT32)
