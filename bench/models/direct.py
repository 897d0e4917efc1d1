"""Networks written here, layer by layer: MobileNetV2, VGG-16, multilayer perceptrons."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bench.models.network import Network, NetworkBuilder

CLASSES = 1000

# Expansion, output channels, repeats, stride: table 2 of Sandler et al., "MobileNetV2" (2018).
MOBILENET_V2_BLOCKS = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)

# Filters of the 3x3 convolutions between two poolings: configuration D of Simonyan and Zisserman (2014).
VGG16_STAGES = ((64, 64), (128, 128), (256, 256, 256), (512, 512, 512), (512, 512, 512))


def mobilenet_v2() -> Network:
    """MobileNetV2 at 1x3x224x224, batch norms kept, logits as output."""
    builder = NetworkBuilder("mobilenet_v2", (1, 3, 224, 224))
    x, channels = _conv_relu6(builder, "x", 3, 32, stride=2), 32
    for expansion, filters, repeats, stride in MOBILENET_V2_BLOCKS:
        for index in range(repeats):
            step = stride if index == 0 else 1
            x = _inverted_residual(builder, x, channels, filters, expansion=expansion, stride=step)
            channels = filters
    x = _conv_relu6(builder, x, channels, 1280, kernel=1)
    x = builder.operator("Flatten", builder.operator("GlobalAveragePool", x), axis=1)
    return builder.finish(builder.linear(x, 1280, CLASSES), (1, CLASSES))


def _inverted_residual(
    builder: NetworkBuilder, x: str, channels: int, filters: int, *, expansion: int, stride: int
) -> str:
    hidden = channels * expansion
    y = x if expansion == 1 else _conv_relu6(builder, x, channels, hidden, kernel=1)
    y = _conv_relu6(builder, y, hidden, hidden, stride=stride, group=hidden)
    y = builder.batch_norm(builder.conv(y, hidden, filters, kernel=1, bias=False), filters)
    return builder.operator("Add", x, y) if stride == 1 and channels == filters else y


def _conv_relu6(builder: NetworkBuilder, x: str, channels: int, filters: int, **geometry: int) -> str:
    y = builder.batch_norm(builder.conv(x, channels, filters, bias=False, **geometry), filters)
    bounds = [
        builder.constant(f"relu6.{name}", np.float32(value)) for name, value in (("min", 0), ("max", 6))
    ]
    return builder.operator("Clip", y, *bounds)


def vgg16() -> Network:
    """VGG-16 at 1x3x224x224, logits as output."""
    builder = NetworkBuilder("vgg16", (1, 3, 224, 224))
    x = builder.operator("Flatten", _vgg16_features(builder), axis=1)
    return builder.finish(_perceptron(builder, x, (512 * 7 * 7, 4096, 4096, CLASSES)), (1, CLASSES))


def vgg16_features() -> Network:
    """The convolutional part of VGG-16 at 1x3x126x224."""
    builder = NetworkBuilder("vgg16_conv_126x224", (1, 3, 126, 224))
    return builder.finish(_vgg16_features(builder), (1, 512, 3, 7))


def _vgg16_features(builder: NetworkBuilder) -> str:
    x, channels = "x", 3
    for stage in VGG16_STAGES:
        for filters in stage:
            x = builder.operator("Relu", builder.conv(x, channels, filters, bias=True))
            channels = filters
        x = builder.operator("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    return x


def perceptron(name: str, batch: int, widths: Sequence[int]) -> Network:
    """A perceptron on `[batch, widths[0]]` with ReLU between the layers."""
    builder = NetworkBuilder(name, (batch, widths[0]))
    return builder.finish(_perceptron(builder, "x", widths), (batch, widths[-1]))


def _perceptron(builder: NetworkBuilder, x: str, widths: Sequence[int]) -> str:
    layers = list(pairwise(widths))
    for features, results in layers[:-1]:
        x = builder.operator("Relu", builder.linear(x, features, results))
    return builder.linear(x, *layers[-1])
