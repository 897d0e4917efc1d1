"""Code for fewer features than this machine has is right: kernels of each type and small models, for x86-64
processors by their vectors, run here.

Tolerance: |a - b| <= 1e-5 * max(1, max |b|) against ONNX Runtime (see `oracle`).
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import onnx
import pytest
from idiom_builder import Builder, Writer, model_of
from oracle import wrong_outputs

from mlc.codegen.host_target import host_target
from mlc.targets import lookup

PROCESSORS = ["x86-64", "x86-64-v3", "skylake-avx512", "native"]


def products(rows: int, inner: int, columns: int) -> Writer:
    """Products with bias and activation."""

    def write(b: Builder) -> str:
        weights = b.value(inner, columns) / np.float32(inner**0.5)
        return b.Relu(b.Add(b.MatMul(b.input(rows, inner), weights), b.value(columns)))

    return write


def batch_product(b: Builder) -> str:
    return b.MatMul(b.input(3, 29, 37), b.input(3, 37, 41))


def conv(channels: int, outputs: int, size: int, **attributes: Any) -> Writer:
    def write(b: Builder) -> str:
        shape = (outputs, channels // attributes.get("group", 1), size, size)
        weights = b.value(*shape) / np.float32(prod(shape[1:]) ** 0.5)
        pads = [size // 2] * 4
        return b.Relu(
            b.Conv(b.input(1, channels, 15, 17), weights, b.value(outputs), pads=pads, **attributes)
        )

    return write


def pools(b: Builder) -> str:
    x = b.Relu(b.Conv(b.input(1, 3, 18, 18), b.value(32, 3, 3, 3), b.value(32)))
    largest = b.MaxPool(x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    return b.Add(b.GlobalAveragePool(x), b.AveragePool(largest, kernel_shape=[2, 2]))


def softmax(b: Builder) -> str:
    return b.Softmax(b.input(37, 131), axis=-1)


def layer_norm(b: Builder) -> str:
    return b.LayerNormalization(b.input(19, 100), b.value(100), b.value(100), axis=-1)


def gelu(b: Builder) -> str:
    x = b.input(11, 301)
    return b.Mul(b.Mul(x, b.Add(b.Erf(b.Div(x, 1.4142135)), 1.0)), 0.5)


def attention(queries: int) -> Writer:
    def write(b: Builder) -> str:
        q, k, v = (b.input(2, 3, rows, 16, low=-1, high=1) for rows in (queries, 33, 33))
        scores = b.Mul(b.MatMul(q, b.Transpose(k, perm=[0, 1, 3, 2])), 0.25)
        return b.MatMul(b.Softmax(scores, axis=-1), v)

    return write


KERNELS: dict[str, Writer] = {
    "product": products(61, 96, 128),
    "narrow_product": products(9, 33, 7),
    "wide_product": products(2, 40, 1001),
    "row": products(1, 128, 100),
    "batched": batch_product,
    "conv": conv(32, 64, 3),
    "first_conv": conv(3, 32, 3, strides=[2, 2]),
    "pointwise": conv(48, 96, 1),
    "grouped": conv(32, 64, 3, group=4),
    "dilated": conv(16, 16, 3, dilations=[2, 2]),
    "depthwise": conv(48, 48, 3, group=48),
    "odd_channels": conv(5, 7, 3),
    "pools": pools,
    "softmax": softmax,
    "layer_norm": layer_norm,
    "gelu": gelu,
    "attention": attention(33),
}


@pytest.fixture(scope="module")
def kernels() -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    return model_of(KERNELS)


def skip_unless_it_runs_here(processor: str) -> None:
    described = lookup(processor)
    if described is not None and described.vector_bits > host_target().vector_bits:
        pytest.skip(f"this machine's vectors have {host_target().vector_bits} bits, not {processor}'s")


@pytest.mark.slow
@pytest.mark.parametrize("processor", PROCESSORS)
def test_kernels(processor: str, kernels: tuple[onnx.ModelProto, dict[str, np.ndarray]]) -> None:
    skip_unless_it_runs_here(processor)
    assert wrong_outputs(*kernels, target=processor) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mlp_small_b64", "mobilenet_v2"])
@pytest.mark.parametrize("processor", PROCESSORS[:2])
def test_models(processor: str, name: str) -> None:
    from bench.models.catalogue import MODELS
    from bench.models.specification import input_specifications
    from bench.models.store import draw

    skip_unless_it_runs_here(processor)
    model = MODELS[name].build()
    inputs = draw(input_specifications(model), seed=1)
    assert wrong_outputs(model, inputs, target=processor) == {}
