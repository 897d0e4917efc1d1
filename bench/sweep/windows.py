"""Cells of operators with windows: convolutions of every rank, transposed ones, pools, Resize."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np

from bench.sweep.cell import Cell, extent, log_uniform, text, weight

KERNELS = {1: (1, 3, 3, 5, 7, 15, 31), 2: (1, 1, 3, 3, 3, 5, 7), 3: (1, 3, 3, 5)}
CHANNELS = (1, 3, 8, 13, 16, 24, 32, 37, 64, 96, 128, 256, 512)
CALL_FLOP = (1e6, 3e8)
ELEMENTS = (1e4, 2e6)
# Of the larger of a convolution's images: pointwise and depthwise ones compute little for each element.
MOST_ELEMENTS = 4e6


def convolution(random: Random) -> Cell:
    """Draws a convolution with bias; some are depthwise or grouped."""
    rank = random.choice((1, 1, 2, 2, 2, 3))
    kernel = _kernel(random, rank)
    stride, dilation = random.choice((1, 1, 1, 2, 2, 3)), random.choice((1, 1, 1, 1, 2, 4))
    channels, results, groups = _channels(random)
    flop = log_uniform(random, *CALL_FLOP)
    pixel_flop = 2 * math.prod(kernel) * (channels // groups) * results
    most = MOST_ELEMENTS / max(channels * stride**rank, results)
    sizes = _sizes(random, rank, min(flop / pixel_flop, most))
    pads = [dilation * (k - 1) // 2 for k in kernel] * 2
    attributes = {
        "kernel_shape": kernel,
        "strides": [stride] * rank,
        "dilations": [dilation] * rank,
        "pads": pads,
        "group": groups,
    }
    # As many results as drawn, and a window at least.
    inputs = [max(size * stride, dilation * (k - 1) + 1) for size, k in zip(sizes, kernel, strict=True)]
    batch = random.choice((1, 1, 1, 2, 4))
    shape = (batch, channels, *inputs)
    variant = "depthwise" if groups == channels > 1 else "grouped" if groups > 1 else "conv"
    geometry = f"k{text(kernel)} s{stride} d{dilation} g{groups}"
    name = f"{variant}{rank}d {channels}to{results} {geometry} {text(shape)}"
    weights = {
        "w": weight(random, (results, channels // groups, *kernel)),
        "b": weight(random, (results,)),
    }
    return Cell("convolution", name, "Conv", {"x": shape}, weights, attributes, _open_image(random, rank))


def transposed_convolution(random: Random) -> Cell:
    """Draws a transposed convolution."""
    rank = random.choice((1, 2, 2, 3))
    stride = random.choice((1, 2, 2, 4))
    size = random.choice((stride, 2 * stride, 3, 4))
    channels, results = random.choice(CHANNELS[2:]), random.choice(CHANNELS)
    flop = log_uniform(random, *CALL_FLOP)
    most = MOST_ELEMENTS / max(channels, results * stride**rank)
    sizes = _sizes(random, rank, min(flop / (2 * size**rank * channels * results), most))
    attributes = {"kernel_shape": [size] * rank, "strides": [stride] * rank}
    shape = (random.choice((1, 1, 2)), channels, *sizes)
    name = f"transposed{rank}d {channels}to{results} k{size} s{stride} {text(shape)}"
    weights = {"w": weight(random, (channels, results, *[size] * rank))}
    return Cell(
        "transposed", name, "ConvTranspose", {"x": shape}, weights, attributes, _open_image(random, rank)
    )


def pool(random: Random) -> Cell:
    """Draws a pool; one in four is of the whole image."""
    rank = random.choice((1, 2, 2, 2, 3))
    operator = random.choice(("MaxPool", "AveragePool"))
    channels = random.choice(CHANNELS)
    sizes = _sizes(random, rank, log_uniform(random, *ELEMENTS) / channels)
    shape = (random.choice((1, 1, 2)), channels, *sizes)
    if random.random() < 0.25:
        name = f"Global{operator} {text(shape)}"
        return Cell("pool", name, f"Global{operator}", {"x": shape}, open_axes=_open_image(random, rank))
    kernel = [min(random.choice((2, 2, 3, 3, 5, 7)), size) for size in sizes]
    stride = random.choice((1, 2, 2, 3))
    attributes: dict[str, Any] = {"kernel_shape": kernel, "strides": [stride] * rank}
    attributes["pads"] = [k // 2 if random.random() < 0.5 else 0 for k in kernel] * 2
    if random.random() < 0.2:
        attributes["ceil_mode"] = 1
    name = f"{operator} k{text(kernel)} s{stride} {text(shape)}"
    return Cell("pool", name, operator, {"x": shape}, {}, attributes, _open_image(random, rank))


def resize(random: Random) -> Cell:
    """Draws a Resize of images by constant scales."""
    mode = random.choice(("nearest", "nearest", "linear", "linear", "cubic"))
    channels = random.choice(CHANNELS)
    scale = random.choice((0.5, 0.5, 0.75, 1.5, 2.0, 2.0, 2.0, 4.0))
    coordinates = random.choice(("half_pixel", "half_pixel", "asymmetric", "align_corners"))
    elements = log_uniform(random, *ELEMENTS) / max(scale, 1) ** 2
    shape = (random.choice((1, 1, 2)), channels, *_sizes(random, 2, elements / channels))
    attributes: dict[str, Any] = {"mode": mode, "coordinate_transformation_mode": coordinates}
    if mode == "nearest":
        attributes["nearest_mode"] = "floor" if coordinates == "asymmetric" else "round_prefer_floor"
    name = f"{mode} {coordinates} by {scale:g} {text(shape)}"
    weights = {"scales": np.array([1, 1, scale, scale], np.float32)}
    return Cell(
        "resize",
        name,
        "Resize",
        {"x": shape},
        weights,
        attributes,
        _open_image(random, 2),
        {},
        ["x", "", "scales"],
    )


def _kernel(random: Random, rank: int) -> list[int]:
    size = random.choice(KERNELS[rank])
    return [random.choice((1, size)) if random.random() < 0.15 else size for _ in range(rank)]


def _channels(random: Random) -> tuple[int, int, int]:
    """Draws the channels, those of the result, and the groups."""
    drawn = random.random()
    if drawn < 0.2:
        channels = random.choice(CHANNELS[1:])
        return channels, channels * random.choice((1, 1, 1, 2)), channels
    if drawn < 0.35:
        groups = random.choice((2, 4, 8))
        return groups * random.choice((2, 4, 5, 16, 32)), groups * random.choice((2, 4, 5, 16, 32)), groups
    return random.choice(CHANNELS), random.choice(CHANNELS), 1


def _sizes(random: Random, rank: int, points: float) -> list[int]:
    """Draws the extents of an image of some `points`."""
    mean = max(points, 1.0) ** (1 / rank)
    return [extent(random, max(1, round(mean / 1.5)), max(2, round(mean * 1.5))) for _ in range(rank)]


def _open_image(random: Random, rank: int) -> dict[str, list[int]]:
    """Draws open axes: none, the image's, or also the batch."""
    image = list(range(2, 2 + rank))
    return {"x": random.choice(([], [], image, [0, *image]))}
