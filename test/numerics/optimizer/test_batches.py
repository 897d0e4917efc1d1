"""Convolutional models of any number of images, on blocked channels and as products, against ONNX Runtime.

Tolerance: |a - b| <= 1e-5 * max(1, max |b|) (see `oracle`).
"""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from idiom_builder import Builder, Writer, model_of
from oracle import differences

from mlc import compile


def residual(b: Builder) -> str:
    x = b.input(1, 3, 17, 17)
    first = b.Relu(b.Conv(x, b.value(32, 3, 3, 3), b.value(32), pads=[1, 1, 1, 1]))
    second = b.Conv(first, b.value(32, 32, 3, 3), b.value(32), pads=[1, 1, 1, 1])
    scale = b.Sigmoid(b.Conv(b.GlobalAveragePool(second), b.value(32, 32, 1, 1)))
    return b.Relu(b.Add(b.Mul(second, scale), first))


def branches(b: Builder) -> str:
    x = b.Relu(b.Conv(b.input(1, 16, 12, 12), b.value(32, 16, 1, 1)))
    depthwise = b.Conv(x, b.value(32, 1, 3, 3), group=32, pads=[1, 1, 1, 1])
    pooled = b.MaxPool(x, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    joined = b.Concat(depthwise, pooled, b.LRN(x, size=5), axis=1)
    return b.AveragePool(b.Conv(joined, b.value(48, 96, 3, 3), strides=[2, 2]), kernel_shape=[2, 2])


def classifier(b: Builder) -> str:
    x = b.Relu(b.Conv(b.input(1, 32, 7, 7), b.value(30, 32, 1, 1), b.value(30)))
    return b.Softmax(b.Flatten(b.GlobalAveragePool(x)))


@pytest.mark.parametrize("write", [residual, branches, classifier])
def test_dynamic_batches(write: Writer) -> None:
    model, _ = model_of({"y": write})
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    program, session = compile(model), onnxruntime.InferenceSession(model.SerializeToString())
    name, shape = session.get_inputs()[0].name, session.get_inputs()[0].shape[1:]
    for batch in (1, 3, 0, 8):
        x = np.random.default_rng(batch).normal(size=(batch, *shape)).astype(np.float32)
        expected = dict(zip(program.run({name: x}), session.run(None, {name: x}), strict=True))
        assert not differences(program.run({name: x}), expected), f"{batch} images"
