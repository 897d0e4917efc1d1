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


FORMS = {
    "lines": lambda b: convolution(b, 64, 64, 6, 3),
    "a line alone": lambda b: convolution(b, 64, 96, 7, 1),
    "narrow": lambda b: b.Tanh(b.Erf(convolution(b, 32, 48, 5, 1))),
    "blocks": lambda b: convolution(b, 512, 256, 7, 3),
    "strided": lambda b: convolution(b, 512, 128, 14, 3, 2),
    "odd channels": lambda b: b.Tanh(convolution(b, 32, 21, 9, 3)),
    "a strided channel": lambda b: convolution(b, 3, 1, 12, 5, 2),
    "residual": residual,
    "padded": padded_windows,
}


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks(threads: int) -> None:
    assert wrong_outputs(*model_of(FORMS), threads) == {}
