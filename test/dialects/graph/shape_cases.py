"""Random uses of graph ops with the result shape that NumPy or ONNX gives (None: they refuse it)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """`expected` is the result's shape, None when the op is not allowed. Of operands in `known` the last dim
    says what rank the result has."""

    name: str
    operands: tuple[Shape, ...]
    expected: Shape | None
    attributes: dict[str, Any] = field(default_factory=dict)
    elements: tuple[str, ...] = ()
    known: tuple[int, ...] = ()


def _shape(random: Random, low: int = 0, high: int = 4) -> Shape:
    return tuple(random.randint(1, 5) for _ in range(random.randint(low, high)))


def _numpy(function: Callable[..., Any], *arguments: Any, **options: Any) -> Shape | None:
    """The result's shape, None when NumPy refuses the arguments."""
    try:
        return tuple(np.shape(function(*arguments, **options)))
    except (ValueError, IndexError, TypeError):
        return None


def _zeros(*shapes: Shape) -> list[np.ndarray]:
    return [np.zeros(shape, np.float32) for shape in shapes]


def _broadcastable(random: Random, count: int) -> tuple[Shape, ...]:
    """Shapes that mostly broadcast: prefixes dropped, dims set to one, one dim in ten disturbed."""
    full = _shape(random)
    shapes = []
    for _ in range(count):
        kept = full[random.randint(0, len(full)) :]
        shapes.append(tuple(random.choice((dim, dim, 1, dim + (random.random() < 0.2))) for dim in kept))
    return tuple(shapes)


def elementwise(random: Random) -> Case:
    """Broadcasts of two and three operands."""
    name = random.choice(("add", "less", "where", "exp", "prelu"))
    if name == "exp":
        shape = _shape(random)
        return Case(name, (shape,), shape)
    if name == "where":
        shapes = _broadcastable(random, 3)
        return Case(name, shapes, _numpy(np.where, *_zeros(*shapes)), elements=("i1", "f32", "f32"))
    shapes = _broadcastable(random, 2)
    expected = _numpy(np.add, *_zeros(*shapes))
    if name == "prelu" and expected != shapes[0]:
        expected = None
    return Case(name, shapes, expected)


def reduction(random: Random) -> Case:
    """Reductions over random axes, positions, cumulative sums."""
    shape = _shape(random, 1)
    keepdims = random.random() < 0.5
    (x,) = _zeros(shape)
    if random.random() < 0.3:
        axis = random.randint(0, len(shape))
        attributes = {"axis": axis, "keepdims": keepdims}
        return Case("arg_max", (shape,), _numpy(np.argmax, x, axis=axis, keepdims=keepdims), attributes)
    if random.random() < 0.2:
        axis = random.randint(0, len(shape))
        return Case("cumsum", (shape,), _numpy(np.cumsum, x, axis=axis), {"axis": axis})
    axes = [random.randint(0, len(shape)) for _ in range(random.randint(0, len(shape)))]
    expected = _numpy(np.sum, x, axis=tuple(axes), keepdims=keepdims)
    return Case("reduce_sum", (shape,), expected, {"axes": axes, "keepdims": keepdims})


def contraction(random: Random) -> Case:
    """Matrix products of operands of rank zero to four, and packed ones."""
    rows, inner, columns = (random.randint(1, 4) for _ in range(3))
    left, right = _broadcastable(random, 2)
    if random.random() < 0.2:
        blocks, tile = random.randint(1, 3), random.choice((4, 8))
        wrong = inner + (random.random() < 0.2)
        expected = (*left, rows, blocks, tile) if wrong == inner else None
        return Case("matmul_packed", ((*left, rows, inner), (blocks, wrong, tile)), expected)
    a = random.choice(((*left, rows, inner), (inner,), ()))
    b = random.choice(((*right, inner, columns), (inner,), (*right, inner + 1, columns)))
    return Case("matmul", (a, b), _numpy(np.matmul, *_zeros(a, b)))


def _fits(dims: Shape, kernel: Shape, window: dict[str, Any]) -> bool:
    """Whether the window is within the padded dims: where not, ONNX's inference rounds the wrong way."""
    pads, count = window["pads"], len(kernel)
    return all(
        window["dilations"][axis] * (kernel[axis] - 1) < dims[axis] + pads[axis] + pads[axis + count]
        for axis in range(count)
    )


def _onnx(operator: str, shapes: Sequence[Shape], attributes: dict[str, Any], least: int = 1) -> Shape | None:
    """The result shape that ONNX infers for one node on f32 tensors, None when it refuses the node or a dim
    is less than `least`."""
    names = [f"x{index}" for index in range(len(shapes))]
    pairs = zip(names, shapes, strict=True)
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in pairs]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    node = helper.make_node(operator, names, ["y"], **attributes)
    opsets = [helper.make_opsetid("", 22)]
    model = helper.make_model(helper.make_graph([node], "case", inputs, [output]), opset_imports=opsets)
    try:
        inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    except onnx.shape_inference.InferenceError:
        return None
    dims = tuple(dim.dim_value for dim in inferred.graph.output[0].type.tensor_type.shape.dim)
    return dims if all(dim >= least for dim in dims) else None


def _random_integers(random: Random, low: int, high: int, count: int) -> list[int]:
    return [random.randint(low, high) for _ in range(count)]


def _window(random: Random, spatial: int) -> dict[str, Any]:
    return {
        "strides": _random_integers(random, 1, 3, spatial),
        "dilations": _random_integers(random, 1, 2, spatial),
        "pads": _random_integers(random, 0, 2, 2 * spatial),
    }


def convolution(random: Random) -> Case:
    """Convolutions and pools of one to three spatial dims, in both layouts."""
    spatial = random.randint(1, 3)
    window = _window(random, spatial)
    dims = tuple(random.randint(4, 9) for _ in range(spatial))
    kernel = tuple(random.randint(1, 4) for _ in range(spatial))
    block, batch = random.choice((2, 4)), random.randint(1, 2)
    if random.random() < 0.5:
        return _pool_case(random, (batch, 2 * block, *dims), block, kernel, window)
    return _conv_case(random, (batch, 2 * block, *dims), block, kernel, window)


def _blocked_shape(shape: Shape, block: int) -> Shape:
    batch, channels, *dims = shape
    return (batch, channels // block, *dims, block)


def _pool_case(random: Random, x: Shape, block: int, kernel: Shape, window: dict[str, Any]) -> Case:
    operator, name = random.choice((("MaxPool", "max_pool"), ("AveragePool", "average_pool")))
    ceil_mode = random.random() < 0.5
    expected = None
    # A window larger by this has no position, or one that reaches over the end.
    excess = [1 if stride == 1 else (stride - 1) * ceil_mode for stride in window["strides"]]
    room = tuple(size + more for size, more in zip(x[2:], excess, strict=True))
    if _fits(room, kernel, window):
        form = {**window, "kernel_shape": kernel, "ceil_mode": int(ceil_mode)}
        expected = _onnx(operator, [x], form, least=0)
    attributes = {**window, "kernel": kernel, "ceil_mode": ceil_mode}
    if random.random() < 0.5:
        return Case(name, (x,), expected, attributes)
    result = expected and _blocked_shape(expected, block)
    return Case(name, (_blocked_shape(x, block),), result, {**attributes, "layout": "NCHWc"})


def _conv_case(random: Random, x: Shape, block: int, kernel: Shape, window: dict[str, Any]) -> Case:
    channels = x[1]
    group = random.choice((1, 2, channels))
    outputs = channels if group == channels else 4 * group
    w = (outputs, channels // group, *kernel)
    attributes = {**window, "group": group}
    expected = _onnx("Conv", [x, w], attributes) if _fits(x[2:], kernel, window) else None
    if random.random() < 0.1:
        return Case("conv", (x, (outputs, channels // group + 1, *kernel)), None, attributes)
    if random.random() < 0.5:
        return Case("conv", (x, w), expected, attributes)
    packed = (channels // block, *kernel, block)
    if group != channels:
        packed = (outputs // 4, channels // group // block, *kernel, block, 4)
    result = expected and _blocked_shape(expected, block if group == channels else 4)
    return Case("conv", (_blocked_shape(x, block), packed), result, {**attributes, "layout": "NCHWc"})


def movement(random: Random) -> Case:
    """One of the ops that move all elements."""
    return random.choice((_reshape, _expand, _transpose, _concat, _squeeze, _unsqueeze, _tile))(random)


def _reshape(random: Random) -> Case:
    x = _shape(random)
    dims = list(x)
    random.shuffle(dims)
    if len(dims) > 1 and random.random() < 0.5:
        dims[:2] = [dims[0] * dims[1]]
    if dims and random.random() < 0.5:
        dims[random.randrange(len(dims))] = random.choice((-1, -1, 7))
    return Case("reshape", (x,), _numpy(np.reshape, *_zeros(x), dims), {"shape": dims})


def _expand(random: Random) -> Case:
    target, x = _broadcastable(random, 2)
    target = (1,) * (len(x) - len(target)) + target
    return Case("expand", (x,), _numpy(np.add, *_zeros(x, target)), {"shape": target})


def _transpose(random: Random) -> Case:
    x = _shape(random)
    order = random.sample(range(len(x)), len(x))
    if order and random.random() < 0.2:
        order[0] = random.randint(0, len(x))
    return Case("transpose", (x,), _numpy(np.transpose, *_zeros(x), order), {"permutation": order})


def _concat(random: Random) -> Case:
    x = _shape(random, 1)
    axis = random.randint(0, len(x) - 1)
    shapes = [x]
    for _ in range(random.randint(0, 10)):
        disturbed = random.randint(0, len(x) - 1) if random.random() < 0.05 else axis
        shapes.append(tuple(random.randint(1, 6) if axis == disturbed else dim for axis, dim in enumerate(x)))
    shapes = shapes[:8]
    return Case("concat", tuple(shapes), _numpy(np.concatenate, _zeros(*shapes), axis=axis), {"axis": axis})


def _squeeze(random: Random) -> Case:
    x = tuple(random.choice((1, 1, dim)) for dim in _shape(random, 1))
    axes = random.sample(range(len(x)), random.randint(0, len(x)))
    return Case("squeeze", (x,), _numpy(np.squeeze, *_zeros(x), axis=tuple(axes)), {"axes": axes})


def _unsqueeze(random: Random) -> Case:
    x = _shape(random)
    axes = [random.randint(0, len(x) + 1) for _ in range(random.randint(0, 2))]
    return Case("unsqueeze", (x,), _numpy(np.expand_dims, *_zeros(x), axis=tuple(axes)), {"axes": axes})


def _tile(random: Random) -> Case:
    x = _shape(random)
    repeats = [random.randint(0, 3) for _ in x]
    return Case("tile", (x,), _numpy(np.tile, *_zeros(x), repeats), {"repeats": repeats})


def selection(random: Random) -> Case:
    """Slices, pads, gathers."""
    return random.choice((_slice, _pad, _gather, _gather_elements))(random)


def _slice(random: Random) -> Case:
    x = _shape(random)
    ranges = [
        random.choice((range(0, dim, 2), range(dim - 1, -1, -1), range(1, dim), range(dim))) for dim in x
    ]
    attributes = {
        "starts": [selected.start for selected in ranges],
        "sizes": [random.choice((len(selected), -1)) for selected in ranges],
        "steps": [selected.step for selected in ranges],
    }
    expected: tuple[int, ...] | None = tuple(map(len, ranges))
    if x and random.random() < 0.2:
        attributes["sizes"][0], expected = x[0] + 1, None
    return Case("slice", (x,), expected, attributes)


def _pad(random: Random) -> Case:
    x = _shape(random)
    low, high = ([random.randint(0, 2) for _ in x] for _ in range(2))
    expected = _numpy(np.pad, *_zeros(x), list(zip(low, high, strict=True))) if x else ()
    mode = random.choice(("constant", "edge", "reflect"))
    if mode == "reflect" and any(
        max(pair) >= dim for *pair, dim in zip(low, high, x, strict=True) if any(pair)
    ):
        expected = None
    return Case("pad", (x,), expected, {"low": low, "high": high, "mode": mode})


def _gather(random: Random) -> Case:
    data, indices, axis = _shape(random, 1), _shape(random, 0, 2), random.randint(0, 4)
    expected = _numpy(np.take, *_zeros(data), np.zeros(indices, np.int64), axis=axis)
    return Case("gather", (data, indices), expected, {"axis": axis}, ("f32", "i64"))


def _gather_elements(random: Random) -> Case:
    data = _shape(random, 1)
    axis = random.randint(0, len(data) - 1)
    indices = tuple(random.randint(1, 6) if other == axis else dim for other, dim in enumerate(data))
    expected = _numpy(np.take_along_axis, *_zeros(data), np.zeros(indices, np.int64), axis=axis)
    return Case("gather_elements", (data, indices), expected, {"axis": axis}, ("f32", "i64"))


def layout(random: Random) -> Case:
    """Packs of random dims, and unpacks of what they give."""
    x = _shape(random, 1)
    inner = random.sample(range(len(x)), random.randint(0, len(x)))
    tiles = [random.choice((1, 2, 4)) for _ in inner]
    order = random.sample(range(len(x)), len(x))
    attributes = {"inner_dims": inner, "inner_tiles": tiles, "outer_permutation": order}
    blocks = list(x)
    for axis, tile in zip(inner, tiles, strict=True):
        blocks[axis] = -(-x[axis] // tile)
    packed = (*np.transpose(np.zeros(blocks), order).shape, *tiles)
    if random.random() < 0.5:
        return Case("unpack", (packed,), x, {**attributes, "shape": x})
    divides = all(x[axis] % tile == 0 for axis, tile in zip(inner, tiles, strict=True))
    if random.random() < 0.5:
        return Case("pack", (x,), packed if divides else None, attributes)
    return Case("pack", (x,), packed, {**attributes, "padding": 0.0})


FAMILIES = (elementwise, reduction, contraction, convolution, movement, selection, layout)


def cases(family: Callable[[Random], Case], count: int) -> Iterator[Case]:
    """Reproducible random cases of a family."""
    random = Random(family.__name__)
    return (family(random) for _ in range(count))
