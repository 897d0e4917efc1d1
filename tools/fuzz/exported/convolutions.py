"""Convolutional networks of a few layers, of one to three spatial dims, with open batch and sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from mlc.tools.fuzz.exported.idioms import activation, layer_norm
from mlc.tools.fuzz.exported.model_draw import Dim, ModelDraw

_STATIC = {1: (16, 33, 50), 2: (8, 13, 16, 20), 3: (5, 6, 8)}
_SIZES = {1: (9, 15, 16, 17, 31, 32, 33, 64), 2: (7, 8, 9, 15, 16, 17, 20), 3: (5, 6, 7, 8)}
_CHANNELS = (1, 3, 4, 8, 16, 17, 24)


@dataclass(frozen=True)
class Image:
    """A value with its channels. `rank`: spatial dims."""

    value: str
    channels: int
    rank: int


Layer = Callable[[ModelDraw, Image], Image]


def draw(m: ModelDraw) -> None:
    """Draws two to four layers."""
    rank = m.pick(1, 2, 2, 2, 3)
    spatial: list[Dim] = [
        m.dim(name, _STATIC[rank], _SIZES[rank], share=0.5) for name in ("height", "width", "depth")[:rank]
    ]
    channels = m.pick(1, 3, 3, 4, 8, 16)
    x = m.input("x", [m.dim("batch", (1, 2), (1, 2, 3)), channels, *spatial])
    image = convolution(m, Image(x, channels, rank))
    for _ in range(int(m.rng.integers(1, 4))):
        image = m.pick(*_LAYERS)(m, image)
    m.output(_head(m, image))
    if m.chance(0.15):
        m.output(m.op("Shape", image.value))


def _window(m: ModelDraw, rank: int, kernel: list[int]) -> dict[str, object]:
    """Returns attributes for strides, dilations and padding."""
    given: dict[str, object] = {"kernel_shape": kernel if m.chance(0.9) else None}
    given["strides"] = [m.pick(1, 1, 2) for _ in range(rank)] if m.chance(0.5) else None
    dilated = m.chance(0.15)
    given["dilations"] = [m.pick(1, 2) for _ in range(rank)] if dilated else None
    match m.pick("same", "same", "valid", "auto", "asymmetric"):
        case "same":
            given["pads"] = [extent // 2 for extent in kernel] * 2
        case "auto":
            given["auto_pad"] = m.pick("SAME_UPPER", "SAME_LOWER", "VALID")
            given["dilations"] = None
        case "asymmetric":
            given["pads"] = [int(m.rng.integers(0, extent + 1)) for extent in kernel * 2]
    return given


def convolution(m: ModelDraw, image: Image) -> Image:
    """A convolution, at times grouped, with its normalisation and activation."""
    groups = m.pick(1, 1, 1, image.channels, *(count for count in (2, 4) if image.channels % count == 0))
    result = groups * m.pick(1, 2) if groups == image.channels else m.pick(*_CHANNELS) * groups
    result = min(result, 48) // groups * groups
    kernel = [m.pick(1, 3, 3, 5 if image.rank == 1 else 2) for _ in range(image.rank)]
    if m.chance(0.3):
        kernel = [1] * image.rank
    weights = m.weight(
        result, image.channels // groups, *kernel, fan_in=image.channels * int(np.prod(kernel))
    )
    bias = [m.weight(result)] if m.chance(0.5) else []
    given = _window(m, image.rank, kernel)
    y = m.op("Conv", image.value, weights, *bias, group=groups if groups > 1 else None, **given)
    return Image(_epilogue(m, y, result, image.rank), result, image.rank)


def _epilogue(m: ModelDraw, y: str, channels: int, rank: int) -> str:
    if m.chance(0.4):
        positive = m.constant(m.rng.random(channels) + 0.5, np.float32)
        vectors = [m.weight(channels) for _ in range(3)]
        y = m.op("BatchNormalization", y, *vectors, positive, epsilon=1e-5)
    elif m.chance(0.15):
        y = _group_norm(m, y, channels, rank)
    return activation(m, y) if m.chance(0.6) else y


def _group_norm(m: ModelDraw, x: str, channels: int, rank: int) -> str:
    """GroupNorm as Reshape, InstanceNormalization, Reshape to the shape read before."""
    groups = m.pick(*[count for count in (1, 2, 4, channels) if channels % count == 0])
    flat = m.op("Reshape", x, m.constant([0, groups, -1]))
    ones, zeros = m.constant(np.ones(groups), np.float32), m.constant(np.zeros(groups), np.float32)
    normal = m.op("InstanceNormalization", flat, ones, zeros, epsilon=1e-5)
    back = m.op("Reshape", normal, m.op("Shape", x))
    scaled = m.op("Mul", back, m.weight(channels, *[1] * rank))
    return m.op("Add", scaled, m.weight(channels, *[1] * rank))


def _residual(m: ModelDraw, image: Image) -> Image:
    """A branch of the same shape, added."""
    count = image.channels
    weights = m.weight(count, count, *[3] * image.rank, fan_in=count * 3**image.rank)
    y = m.op("Conv", image.value, weights, pads=[1] * 2 * image.rank)
    y = _epilogue(m, y, count, image.rank)
    total = m.op("Add", y, image.value) if m.chance(0.5) else m.op("Add", image.value, y)
    return Image(m.op("Relu", total) if m.chance(0.5) else total, count, image.rank)


def _pool(m: ModelDraw, image: Image) -> Image:
    kernel = [m.pick(2, 3) for _ in range(image.rank)]
    strides = [m.pick(1, 2) for _ in range(image.rank)]
    pads = [m.pick(0, 0, 1) for _ in range(image.rank)] * 2
    ceil_mode = m.pick(0, 1)
    if m.chance(0.5):
        y = m.op("MaxPool", image.value, kernel_shape=kernel, strides=strides, pads=pads, ceil_mode=ceil_mode)
    else:
        y = m.op(
            "AveragePool",
            image.value,
            kernel_shape=kernel,
            strides=strides,
            pads=pads,
            ceil_mode=ceil_mode,
            count_include_pad=m.pick(None, 1),
        )
    return Image(y, image.channels, image.rank)


def _concatenate(m: ModelDraw, image: Image) -> Image:
    """Branches of 1x1 convolutions and pools of one size, concatenated along the channels."""
    ones = [1] * image.rank
    parts, total = [image.value], image.channels
    for _ in range(m.pick(1, 2)):
        result = m.pick(1, 4, 8)
        y = m.op("Conv", image.value, m.weight(result, image.channels, *ones, fan_in=image.channels))
        parts.append(activation(m, y))
        total += result
    if m.chance(0.3):
        pool = {"kernel_shape": [3] * image.rank, "pads": [1] * 2 * image.rank}
        parts.append(m.op("MaxPool", image.value, **pool))
        total += image.channels
    if m.chance(0.3):
        parts.reverse()
    return Image(m.op("Concat", *parts, axis=1), total, image.rank)


def _resize(m: ModelDraw, image: Image) -> Image:
    """Doubles the size: by constant scales, by sizes or scales computed from the shape."""
    style = m.pick("scales", "sizes", "floor", "computed")
    mode = m.pick("nearest", "linear" if image.rank < 3 else "nearest")
    given = {
        "mode": mode,
        "coordinate_transformation_mode": m.pick("asymmetric", "half_pixel", "align_corners"),
    }
    if mode == "nearest":
        given["nearest_mode"] = m.pick("floor", "round_prefer_floor")
    empty = m.constant(np.zeros(0), np.float32)
    no_scales = empty if m.opset < 13 else ""
    shape = m.op("Shape", image.value)
    kept = m.op("Slice", shape, m.constant([0]), m.constant([2]), m.constant([0]))
    spatial = m.op("Slice", shape, m.constant([2]), m.constant([2 + image.rank]), m.constant([0]))
    if style == "scales":
        scales = m.constant([1, 1, *[m.pick(2, 2, 0.5, 1.5)] * image.rank], np.float32)
        return Image(m.op("Resize", image.value, empty, scales, **given), image.channels, image.rank)
    if style == "computed":
        scaled = m.op("Cast", spatial, to=TensorProto.FLOAT)
        ratio = m.op("Div", m.op("Mul", scaled, m.constant(2, np.float32)), scaled)
        scales = m.op("Concat", m.constant([1, 1], np.float32), ratio, axis=0)
        return Image(m.op("Resize", image.value, empty, scales, **given), image.channels, image.rank)
    if style == "sizes":
        larger = m.op("Mul", spatial, m.constant([2]))
    else:
        scaled = m.op(
            "Mul", m.op("Cast", spatial, to=TensorProto.FLOAT), m.constant(m.pick(2, 1.5, 0.5), np.float32)
        )
        larger = m.op("Cast", m.op("Floor", scaled), to=TensorProto.INT64)
    sizes = m.op("Concat", kept, larger, axis=0)
    return Image(m.op("Resize", image.value, empty, no_scales, sizes, **given), image.channels, image.rank)


def _merge_levels(m: ModelDraw, image: Image) -> Image:
    """A coarser level, resized to the size of the finer one that its shape gives, added: feature pyramids."""
    count = image.channels
    weights = m.weight(count, count, *[3] * image.rank, fan_in=count * 3**image.rank)
    coarse = m.op("Conv", image.value, weights, pads=[1] * 2 * image.rank, strides=[2] * image.rank)
    empty = m.constant(np.zeros(0), np.float32)
    sizes = m.op("Shape", image.value)
    larger = m.op(
        "Resize",
        coarse,
        empty,
        empty if m.opset < 13 else "",
        sizes,
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )
    return Image(m.op("Add", image.value, larger), count, image.rank)


def _transpose_conv(m: ModelDraw, image: Image) -> Image:
    groups = m.pick(1, 1, *([2] if image.channels % 2 == 0 else []))
    result = m.pick(1, 4, 8)
    kernel = [m.pick(2, 3, 4) for _ in range(image.rank)]
    strides = [m.pick(1, 2) for _ in range(image.rank)]
    given: dict[str, object] = {"kernel_shape": kernel, "strides": strides}
    match m.pick("none", "pads", "output", "same"):
        case "pads":
            given["pads"] = [m.pick(0, 1) for _ in range(2 * image.rank)]
        case "output":
            given["pads"] = [1] * 2 * image.rank
            given["output_padding"] = [stride - 1 for stride in strides]
        case "same":
            given["auto_pad"] = m.pick("SAME_UPPER", "SAME_LOWER")
    weights = m.weight(image.channels, result, *kernel, fan_in=image.channels)
    bias = [m.weight(result * groups)] if m.chance(0.5) else []
    y = m.op("ConvTranspose", image.value, weights, *bias, group=groups if groups > 1 else None, **given)
    return Image(_epilogue(m, y, result * groups, image.rank), result * groups, image.rank)


def _attend_channels(m: ModelDraw, image: Image) -> Image:
    """Squeeze and excitation."""
    axes = list(range(2, 2 + image.rank))
    if m.chance(0.5):
        mean = m.op("GlobalAveragePool", image.value)
    else:
        mean = m.axes("ReduceMean", image.value, axes, since=18, keepdims=1)
    ones, few = [1] * image.rank, max(image.channels // 2, 1)
    y = activation(
        m, m.op("Conv", mean, m.weight(few, image.channels, *ones, fan_in=image.channels), m.weight(few))
    )
    y = m.op("Conv", y, m.weight(image.channels, few, *ones, fan_in=few), m.weight(image.channels))
    return Image(m.op("Mul", image.value, m.op("Sigmoid", y)), image.channels, image.rank)


def _pad(m: ModelDraw, image: Image) -> Image:
    before, after = ([m.pick(0, 1, 2) for _ in range(image.rank)] for _ in range(2))
    pads = m.constant([0, 0, *before, 0, 0, *after])
    mode = m.pick("constant", "reflect", "edge")
    return Image(m.op("Pad", image.value, pads, mode=mode), image.channels, image.rank)


def _channels_last(m: ModelDraw, image: Image) -> Image:
    """Normalisation of channels that are moved last, as in ConvNeXt."""
    rank = image.rank
    moved = m.op("Transpose", image.value, perm=[0, *range(2, 2 + rank), 1])
    normal = layer_norm(m, moved, image.channels)
    return Image(m.op("Transpose", normal, perm=[0, 1 + rank, *range(1, 1 + rank)]), image.channels, rank)


def _shuffle(m: ModelDraw, image: Image) -> Image:
    """The channel shuffle, or the slices of channels of a split block."""
    if image.rank != 2 or image.channels % 2:
        return image
    half = image.channels // 2
    if m.chance(0.5):
        shape = m.op("Shape", image.value)
        batch, rows, columns = (m.op("Gather", shape, m.constant([axis]), axis=0) for axis in (0, 2, 3))
        target = m.op("Concat", batch, m.constant([2, half]), rows, columns, axis=0)
        split = m.op("Transpose", m.op("Reshape", image.value, target), perm=[0, 2, 1, 3, 4])
        back = m.op("Concat", batch, m.constant([-1]), rows, columns, axis=0)
        return Image(m.op("Reshape", split, back), image.channels, 2)
    parts = [
        m.op("Slice", image.value, m.constant([start]), m.constant([end]), m.constant([1]))
        for start, end in ((0, half), (half, image.channels))
    ]
    parts[1] = m.op("Conv", parts[1], m.weight(half, half, 1, 1, fan_in=half))
    return Image(m.op("Concat", *parts, axis=1), image.channels, 2)


_LAYERS: tuple[Layer, ...] = (
    convolution,
    convolution,
    convolution,
    _residual,
    _pool,
    _pool,
    _concatenate,
    _resize,
    _resize,
    _merge_levels,
    _transpose_conv,
    _attend_channels,
    _pad,
    _channels_last,
    _shuffle,
)


def _head(m: ModelDraw, image: Image) -> str:
    """The image, or a classifier, boxes of a detector, tokens of a transformer."""
    match m.pick("image", "image", "image", "classifier", "boxes", "tokens"):
        case "classifier":
            y = m.op("GlobalAveragePool", image.value)
            y = m.op("Flatten", y, axis=1) if m.chance(0.5) else m.op("Reshape", y, m.constant([0, -1]))
            return m.op("Gemm", y, m.weight(5, image.channels, fan_in=image.channels), m.weight(5), transB=1)
        case "boxes" if image.rank == 2:
            # Anchors x values, moved last and flattened, as detectors write them.
            y = m.op("Conv", image.value, m.weight(2 * 5, image.channels, 1, 1, fan_in=image.channels))
            batch = m.op("Gather", m.op("Shape", y), m.constant([0]), axis=0)
            rows, columns = (m.op("Gather", m.op("Shape", y), m.constant([axis]), axis=0) for axis in (2, 3))
            split = m.op("Concat", batch, m.constant([2, 5]), rows, columns, axis=0)
            y = m.op("Transpose", m.op("Reshape", y, split), perm=[0, 1, 3, 4, 2])
            return m.op("Reshape", m.op("Sigmoid", y), m.op("Concat", batch, m.constant([-1, 5]), axis=0))
        case "tokens":
            y = m.op("Reshape", image.value, m.constant([0, image.channels, -1]))
            return layer_norm(m, m.op("Transpose", y, perm=[0, 2, 1]), image.channels)
        case _:
            return image.value
