"""Sizes computed from shapes and from data: slices, grids, pads, branches, loops, selections."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import TensorProto, helper

from mlc.tools.fuzz.exported.idioms import concat_shape, scalar_size, size_of_axis
from mlc.tools.fuzz.exported.model_draw import Dim, ModelDraw, integers

_WIDTHS = (3, 4, 8, 16)


def draw(m: ModelDraw) -> None:
    """Draws one or two steps on an input of rank 3, whose last dim is static, mostly."""
    batch, rows = m.dim("batch", (1, 2, 3), (1, 1, 2, 3)), m.dim("rows", (4, 9, 16), share=0.8)
    width: Dim = m.dim("columns", (5, 16)) if m.chance(0.25) else m.pick(*_WIDTHS)
    x = m.input("x", [batch, rows, width])
    for _ in range(m.pick(1, 2)):
        x = m.pick(*_STEPS)(m, x)
    if m.chance(0.5):
        x = m.pick(*_ENDS)(m, x)
    m.output(x)


def _vector(m: ModelDraw, scalar: str) -> str:
    return m.axes("Unsqueeze", scalar, [0])


def _part_of_size(m: ModelDraw, x: str, axis: int, least: int = 1) -> str:
    """Returns a scalar: a share of a size, at least `least`."""
    size = scalar_size(m, x, axis)
    match m.pick("div", "floor", "mul-div", "sub", "min"):
        case "div":
            part = m.op("Div", size, m.constant(m.pick(2, 3)))
        case "floor":
            as_float = m.op(
                "Mul", m.op("Cast", size, to=TensorProto.FLOAT), m.constant(m.pick(0.5, 0.3), np.float32)
            )
            part = m.op("Cast", m.op(m.pick("Floor", "Ceil"), as_float), to=TensorProto.INT64)
        case "mul-div":
            part = m.op("Div", m.op("Mul", size, m.constant(3)), m.constant(4))
        case "sub":
            part = m.op("Sub", size, m.constant(1))
        case _:
            seven = m.constant(7)
            part = m.op("Where", m.op("Less", size, seven), size, seven)
    lowest = m.constant(least)
    # Max takes integers from opset 12 on.
    return (
        m.op("Max", part, lowest)
        if m.opset >= 12
        else m.op("Where", m.op("Less", part, lowest), lowest, part)
    )


def _slice(m: ModelDraw, x: str) -> str:
    axis = m.pick(0, 1, 1, 1, 2)
    part = _vector(m, _part_of_size(m, x, axis))
    match m.pick("head", "tail", "steps", "minus", "reverse"):
        case "head":
            return m.op("Slice", x, m.constant([0]), part, m.constant([axis]))
        case "tail":
            return m.op("Slice", x, m.op("Neg", part), m.constant([2**31 - 1]), m.constant([axis]))
        case "steps":
            return m.op(
                "Slice", x, m.constant([0]), m.constant([2**63 - 1]), m.constant([axis]), m.constant([2])
            )
        case "minus":
            return m.op("Slice", x, m.constant([1]), m.constant([-1]), m.constant([axis]))
        case _:
            return m.op(
                "Slice", x, m.constant([-1]), m.constant([-(2**63)]), m.constant([axis]), m.constant([-1])
            )


def _expand(m: ModelDraw, x: str) -> str:
    """A row of weights, a scalar or positions, expanded to the shape of x and added."""
    match m.pick("fill", "arange", "expand", "like", "tile"):
        case "fill":
            value = helper.make_tensor("value", TensorProto.FLOAT, [1], [0.5])
            return m.op("Add", x, m.op("ConstantOfShape", m.op("Shape", x), value=value))
        case "arange":
            positions = m.op("Range", m.constant(0), scalar_size(m, x, 1), m.constant(1))
            column = m.axes("Unsqueeze", m.op("Cast", positions, to=TensorProto.FLOAT), [0, 2])
            return m.op("Add", x, m.op("Mul", column, m.constant(0.1, np.float32)))
        case "expand":
            shape = concat_shape(m, [(x, 0), (x, 1), 1])
            return m.op("Concat", x, m.op("Expand", m.constant([[[0.5]]], np.float32), shape), axis=2)
        case "like":
            table = m.weight(40, 3, fan_in=1)
            positions = m.op("Range", m.constant(0), scalar_size(m, x, 1), m.constant(1))
            found = m.axes("Unsqueeze", m.op("Gather", table, positions, axis=0), [0])
            shape = m.op("Concat", size_of_axis(m, x, 0), m.constant([1, 1]), axis=0)
            return m.op("Concat", x, m.op("Tile", found, shape), axis=2)
        case _:
            repeats = m.op("Concat", m.constant([1]), m.constant([m.pick(1, 2)]), m.constant([2]), axis=0)
            return m.op("Tile", x, repeats)


def _reshape(m: ModelDraw, x: str) -> str:
    match m.pick("flatten", "heads", "merge", "transpose", "pairs"):
        case "flatten":
            flat = m.op("Reshape", x, concat_shape(m, [(x, 0), -1]))
            return m.op("Reshape", m.op("Relu", flat), m.op("Shape", x))
        case "heads":
            wide = m.op("Concat", x, x, axis=2)
            shape = m.op(
                "Concat",
                size_of_axis(m, wide, 0),
                size_of_axis(m, wide, 1),
                m.constant([2]),
                m.op("Div", size_of_axis(m, wide, 2), m.constant([2])),
                axis=0,
            )
            moved = m.op("Transpose", m.op("Reshape", wide, shape), perm=[0, 2, 1, 3])
            return m.op("Reshape", moved, concat_shape(m, [(wide, 0), -1, (x, 2)]))
        case "merge":
            rows = m.op("Mul", scalar_size(m, x, 0), scalar_size(m, x, 1))
            flat = m.op("Reshape", x, m.op("Concat", _vector(m, rows), size_of_axis(m, x, 2), axis=0))
            return m.axes("Unsqueeze", flat, [0])
        case "transpose":
            moved = m.op("Transpose", x, perm=m.pick([0, 2, 1], [1, 0, 2], [2, 1, 0]))
            return m.op("Reshape", moved, m.op("Shape", x)) if m.chance(0.4) else moved
        case _:
            joined = m.op("Concat", x, m.op("Neg", x), axis=1)
            return m.op(
                "Reshape",
                joined,
                m.op("Concat", size_of_axis(m, x, 0), m.constant([-1]), size_of_axis(m, x, 2), axis=0),
            )


def _pad(m: ModelDraw, x: str) -> str:
    """Pads to a multiple of a window, as windowed attention is written, or by a share of the size."""
    if m.chance(0.5):
        window = m.constant(m.pick(4, 7, 8))
        size = scalar_size(m, x, 1)
        missing = m.op("Mod", m.op("Sub", window, m.op("Mod", size, window)), window)
    else:
        missing = _part_of_size(m, x, 1, least=0)
    pads = m.op("Concat", m.constant([0, 0, 0, 0]), _vector(m, missing), m.constant([m.pick(0, 1)]), axis=0)
    return m.op("Pad", x, pads, m.constant(m.pick(0, -1.5), np.float32), mode="constant")


def _branch(m: ModelDraw, x: str) -> str:
    """A Squeeze where a dim is 1, as PyTorch exports squeeze(axis), made a rank of 3 again."""
    axis = m.pick(0, 1)
    condition = m.op("Equal", scalar_size(m, x, axis), m.constant(1))
    if m.chance(0.4):
        # Branches of one rank.
        then = m.graph(lambda: [m.op("Neg", x)])
        other = m.graph(lambda: [m.op("Mul", x, m.constant(2, np.float32))])
        return m.op("If", condition, then_branch=then, else_branch=other)
    then = m.graph(lambda: [m.axes("Squeeze", x, [axis])])
    other = m.graph(lambda: [m.op("Identity", x)])
    y = m.op("If", condition, then_branch=then, else_branch=other)
    if m.chance(0.3):
        m.output(y)
        return x
    return m.op("Reshape", y, m.op("Shape", x))


def _scan(m: ModelDraw, x: str) -> str:
    """A Loop or a Scan over rows with an accumulator, whose states are collected."""
    first = m.op("Gather", m.op("Transpose", x, perm=[1, 0, 2]), m.constant(0), axis=0)
    if m.chance(0.5):
        rows = m.op("Transpose", x, perm=[1, 0, 2])
        infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("state", "row")]

        def step() -> list[str]:
            """Halves the state and adds the row."""
            state = m.op("Add", m.op("Mul", "state", m.constant(0.5, np.float32)), "row")
            return [state, m.op("Tanh", state)]

        body = m.graph(step, infos)
        _, found = m.ops(
            "Scan", 2, m.op("Mul", first, m.constant(0, np.float32)), rows, body=body, num_scan_inputs=1
        )
        return m.op("Transpose", found, perm=[1, 0, 2])
    infos = [
        helper.make_tensor_value_info("step", TensorProto.INT64, []),
        helper.make_tensor_value_info("go", TensorProto.BOOL, []),
        helper.make_tensor_value_info("total", TensorProto.FLOAT, None),
    ]

    def accumulate() -> list[str]:
        """Adds the row of the step."""
        row = m.op("Gather", x, "step", axis=1)
        total = m.op("Add", m.op("Mul", "total", m.constant(0.5, np.float32)), row)
        return ["go", total, total]

    body = m.graph(accumulate, infos)
    last, found = m.ops("Loop", 2, scalar_size(m, x, 1), m.constant(True, np.bool_), first, body=body)
    m.output(last)
    return m.op("Transpose", found, perm=[1, 0, 2])


def _select(m: ModelDraw, x: str) -> str:
    """The rows or elements where a mask is true; two NonZero of one mask at times."""
    mask = m.op("Greater", x, m.constant(m.pick(0.0, 1.0, 0.5), np.float32))
    match m.pick("elements", "twice", "compress", "where"):
        case "elements":
            found = m.op("GatherND", x, m.op("Transpose", m.op("NonZero", mask), perm=[1, 0]))
            return m.axes("Unsqueeze", found, [0, 1])
        case "twice":
            other = m.op("Mul", x, m.constant(3, np.float32))
            parts = [
                m.op("GatherND", source, m.op("Transpose", m.op("NonZero", mask), perm=[1, 0]))
                for source in (x, other)
            ]
            return m.axes("Unsqueeze", m.op("Sub", *parts), [0, 1])
        case "compress":
            flat = m.op("Reshape", mask, m.constant([-1]))
            return m.axes(
                "Unsqueeze", m.op("Compress", m.op("Reshape", x, m.constant([-1])), flat, axis=0), [0, 1]
            )
        case _:
            rows = m.op("Slice", m.op("NonZero", mask), m.constant([1]), m.constant([2]), m.constant([0]))
            return m.op("Gather", x, m.op("Reshape", rows, m.constant([-1])), axis=1)


def _top(m: ModelDraw, x: str) -> str:
    k = _vector(m, _part_of_size(m, x, 1))
    if m.opset >= 12 and m.chance(0.3):
        k = m.op("Min", m.constant([5]), size_of_axis(m, x, 1))
    values, indices = m.ops("TopK", 2, x, k, axis=1)
    if m.chance(0.5):
        return values
    return m.op("GatherElements", x, indices, axis=1)


def _scatter(m: ModelDraw, x: str) -> str:
    """Writes rows into zeros of a computed shape."""
    rows = m.op("Shape", x)
    match m.pick("nd", "elements", "ones"):
        case "nd":
            zeros = m.op("ConstantOfShape", rows)
            index = m.op("Range", m.constant(0), scalar_size(m, x, 0), m.constant(1))
            return m.op("ScatterND", zeros, m.axes("Unsqueeze", index, [1]), m.op("Relu", x))
        case "elements":
            _, order = m.ops("TopK", 2, x, size_of_axis(m, x, 1), axis=1)
            return m.op("ScatterElements", m.op("ConstantOfShape", rows), order, x, axis=1)
        case _:
            mask = m.op("NonZero", m.op("Less", x, m.constant(0, np.float32)))
            index = m.op("Transpose", mask, perm=[1, 0])
            found = m.op("GatherND", x, index)
            return m.op("ScatterND", x, index, m.op("Abs", found))


def _windows(m: ModelDraw, x: str) -> str:
    """Rows padded to windows of 4, split into windows, reduced, joined and cropped."""
    size = scalar_size(m, x, 1)
    four = m.constant(4)
    missing = m.op("Mod", m.op("Sub", four, m.op("Mod", size, four)), four)
    pads = m.op("Concat", m.constant([0, 0, 0, 0]), _vector(m, missing), m.constant([0]), axis=0)
    padded = m.op("Pad", x, pads)
    count = m.op("Div", scalar_size(m, padded, 1), four)
    width = size_of_axis(m, x, 2)
    shape = m.op("Concat", size_of_axis(m, x, 0), _vector(m, count), m.constant([4]), width, axis=0)
    split = m.op("Reshape", padded, shape)
    softmax = m.op("Softmax", split, axis=-1)
    moved = m.op("Transpose", softmax, perm=[0, 2, 1, 3])
    back = m.op("Reshape", moved, m.op("Concat", size_of_axis(m, x, 0), m.constant([-1]), width, axis=0))
    return m.op("Slice", back, m.constant([0]), _vector(m, size), m.constant([1]))


def _suppress(m: ModelDraw, x: str) -> str:
    """Boxes of the first four columns, scores of random rows, and the boxes that remain."""
    size = scalar_size(m, x, 1)
    count = m.op("Concat", size_of_axis(m, x, 0), _vector(m, size), m.constant([2]), axis=0)
    mean = m.axes("ReduceMean", x, [2], since=18, keepdims=1)
    first = m.op("Expand", mean, count)
    second = m.op("Add", first, m.op("Exp", m.op("Mul", first, m.constant(0.3, np.float32))))
    boxes = m.op("Concat", first, second, axis=2)
    scores = m.op(
        "Transpose", m.op("Sigmoid", m.axes("ReduceMax", x, [2], since=18, keepdims=1)), perm=[0, 2, 1]
    )
    limits = [
        m.constant([m.pick(3, 100)]),
        m.constant([0.5], np.float32),
        m.constant([m.pick(0.0, 0.6)], np.float32),
    ]
    chosen = m.op("NonMaxSuppression", boxes, scores, *limits)
    pairs = m.op("Gather", chosen, m.constant([0, 2]), axis=1)
    return m.axes("Unsqueeze", m.op("GatherND", boxes, pairs), [0])


_STEPS: tuple[Callable[[ModelDraw, str], str], ...] = (
    _slice,
    _slice,
    _expand,
    _expand,
    _reshape,
    _reshape,
    _pad,
    _branch,
    _scan,
    _select,
    _top,
    _scatter,
    _windows,
)


def _sum_up(m: ModelDraw, x: str) -> str:
    y = m.axes("ReduceSum", x, [1], keepdims=m.pick(0, 1))
    as_float = m.op("Cast", scalar_size(m, x, 1), to=TensorProto.FLOAT)
    return m.op("Div", y, m.op("Max", as_float, m.constant(1, np.float32)))


def _compare(m: ModelDraw, x: str) -> str:
    return m.op("ArgMax", x, axis=m.pick(1, -1), keepdims=0)


def _lookup(m: ModelDraw, x: str) -> str:
    indices = m.input("ids", [m.dim("ids", (1, 5), (0, 1, 2, 17)), 2], integers(0, 1))
    return m.op("Gather", x, indices, axis=1)


_ENDS: tuple[Callable[[ModelDraw, str], str], ...] = (_sum_up, _compare, _suppress, _lookup)
