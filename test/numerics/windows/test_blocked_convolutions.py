"""Convolutions of small images, whose register tiles take several lines, and whose channels come in blocks.

Tolerance: |a - b| <= 1e-5 * max(1, max |b|) against ONNX Runtime (see `oracle`).
"""

from __future__ import annotations

import pytest
from idiom_builder import Builder, model_of
from oracle import wrong_outputs


def convolution(b: Builder, channels: int, filters: int, pixels: int, window: int, stride: int = 1) -> str:
    """Sums of about one."""
    weights = b.value(filters, channels, window, window) * (channels * window**2) ** -0.5
    pads = [window // 2] * 4
    image = b.input(1, channels, pixels, pixels)
    return b.Conv(image, weights, kernel_shape=[window, window], pads=pads, strides=[stride, stride])


def residual(b: Builder) -> str:
    image = convolution(b, 512, 256, 7, 3)
    return b.Relu(b.Add(b.Add(image, b.value(256, 1, 1)), b.input(1, 256, 7, 7)))


def padded_windows(b: Builder) -> str:
    """The result is written into an image with a border, for the second window."""
    image = b.Relu(convolution(b, 2048, 64, 7, 1))
    weights = b.value(32, 64, 3, 3) * 576**-0.5
    return b.Conv(image, weights, kernel_shape=[3, 3], pads=[1, 1, 1, 1])


def volume(b: Builder) -> str:
    """Three spatial dims: strides, holes, a pool and means over whole volumes, on blocks."""
    image = b.Relu(b.Conv(b.input(2, 5, 9, 11, 10), b.value(24, 5, 3, 3, 3) * 0.1, b.value(24), pads=[1] * 6))
    strided = b.Conv(image, b.value(32, 24, 3, 3, 3) * 0.05, strides=[2, 2, 2], pads=[1] * 6)
    holes = b.Add(
        b.Conv(strided, b.value(32, 1, 2, 2, 2), group=32, dilations=[2, 1, 2]), b.value(32, 1, 1, 1)
    )
    pooled = b.MaxPool(b.Relu(holes), kernel_shape=[2, 2, 2])
    mean = b.GlobalAveragePool(b.Conv(pooled, b.value(21, 32, 1, 1, 1)))
    return b.Concat(b.Reshape(pooled, [-1]), b.Reshape(mean, [-1]), axis=0)


def groups(b: Builder) -> str:
    """Groups of 5 and of 6 channels, which no block divides, in steps of two and three columns."""
    image = b.input(2, 12, 15, 17)
    first = b.Relu(b.Add(b.Conv(image, b.value(10, 6, 3, 3), group=2, strides=[1, 2]), b.value(10, 1, 1)))
    return b.Conv(first, b.value(30, 2, 3, 3), b.value(30), group=5, strides=[2, 3], dilations=[2, 1])


def mostly_padding(b: Builder) -> str:
    """Windows whose rows and columns are beyond the image, on one side more than on the other: dilated, with
    strides, of lines that are computed together, of each rank, in groups and per channel, whole windows of
    padding among them."""
    image = b.input(1, 32, 9, 11)
    scale = b.value(32, 32, 3, 3) * 0.06
    holes = b.Conv(image, scale, pads=[12, 7, 10, 8], dilations=[6, 5])
    beyond = b.Conv(image, scale, pads=[9, 14, 3, 1], strides=[2, 3])
    grouped = b.Conv(image, b.value(32, 16, 5, 5) * 0.05, pads=[4, 4, 4, 4], group=2)
    apart = b.Conv(image, b.value(32, 1, 5, 3), pads=[8, 4, 8, 4], dilations=[4, 4], group=32)
    signal = b.Conv(b.input(1, 32, 12), b.value(32, 32, 7) * 0.06, pads=[12, 18], dilations=[4])
    volume = b.Conv(b.input(1, 16, 3, 4, 5), b.value(32, 16, 5, 5, 5) * 0.02, pads=[2] * 6)
    plain = b.Conv(b.input(1, 3, 9, 40), b.value(4, 3, 5, 5) * 0.1, pads=[8, 8, 8, 8], dilations=[4, 4])
    results = (holes, beyond, grouped, apart, signal, volume, plain)
    return b.Concat(*(b.Reshape(result, [-1]) for result in results), axis=0)


def strided_channels(b: Builder) -> str:
    """Register tiles of several lines whose pixels are elements of plain images, two apart, by channel."""
    volume = b.Conv(
        b.input(1, 8, 7, 8, 14), b.value(10, 4, 3, 3, 3) * 0.1, strides=[2, 2, 2], pads=[1] * 6, group=2
    )
    image = b.Conv(b.input(2, 3, 16, 12), b.value(24, 3, 3, 3) * 0.2, strides=[2, 2], pads=[1] * 4)
    return b.Concat(b.Reshape(volume, [-1]), b.Reshape(image, [-1]), axis=0)


def filters_per_channel(b: Builder) -> str:
    """Two and three filters for each channel: of whole images, in steps, along one dim, of three dims."""
    image = b.input(2, 8, 13, 18)
    both = b.Conv(image, b.value(16, 1, 3, 3) * 0.3, b.value(16), group=8, pads=[1, 1, 1, 1])
    apart = b.Conv(image, b.value(24, 1, 5, 4) * 0.2, group=8, strides=[3, 2], dilations=[2, 1])
    signal = b.Conv(b.input(1, 16, 61), b.value(32, 1, 7) * 0.3, group=16, strides=[2])
    volume = b.Conv(b.input(1, 4, 5, 6, 7), b.value(8, 1, 3, 2, 3) * 0.2, group=4)
    return b.Concat(*(b.Reshape(value, [-1]) for value in (both, apart, signal, volume)), axis=0)


FORMS = {
    "lines": lambda b: convolution(b, 64, 64, 6, 3),
    "a line alone": lambda b: convolution(b, 64, 96, 7, 1),
    "narrow": lambda b: b.Tanh(b.Erf(convolution(b, 32, 48, 5, 1))),
    "blocks": lambda b: convolution(b, 512, 256, 7, 3),
    "strided": lambda b: convolution(b, 512, 128, 14, 3, 2),
    "odd channels": lambda b: b.Tanh(convolution(b, 32, 21, 9, 3)),
    "a strided channel": lambda b: convolution(b, 3, 1, 12, 5, 2),
    "residual": residual,
    "volume": volume,
    "groups": groups,
    "padded": padded_windows,
    "mostly padding": mostly_padding,
    "lines of strided channels": strided_channels,
    "filters per channel": filters_per_channel,
}


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks(threads: int) -> None:
    assert wrong_outputs(*model_of(FORMS), threads) == {}
