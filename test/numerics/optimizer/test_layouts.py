"""Blocked ops compute what plain ones do, whatever the costs say: each op that can be blocked, both ways.

Tolerance: |a - b| <= 1e-5 * max(1, max |b|) against ONNX Runtime (see `oracle`).
"""

from __future__ import annotations

import onnx
import pytest
from idiom_builder import Builder, Writer, model_of
from oracle import wrong_outputs

from mlc.bindings import ir
from mlc.frontends.onnx import import_model
from mlc.passes.common.rewriting import collect_ops
from mlc.pipelines.driver import run_pipeline

PASS = "graph-assign-layouts"


def conv(b: Builder, x: str, outputs: int, per_group: int, size: int = 1, **attributes: object) -> str:
    """With bias, and padding that keeps the image's size where `size` is odd."""
    pads = [size // 2] * 4
    return b.Conv(x, b.value(outputs, per_group, size, size), b.value(outputs), pads=pads, **attributes)


def slice_and_pad(b: Builder) -> str:
    y = conv(b, b.input(2, 16, 9, 7), 64, 16, 3)
    part = b.Slice(y, [16, 1, 0], [48, 8, 7], [1, 2, 3], [1, 2, 1])
    return b.Pad(part, [0, 16, 0, 1, 0, 32, 1, 0], 1.5)


def slice_backwards(b: Builder) -> str:
    return b.Slice(conv(b, b.input(1, 8, 6, 6), 32, 8), [8, -1], [24, -7], [1, 3], [1, -1])


def odd_slice(b: Builder) -> str:
    y = conv(b, b.input(1, 16, 5, 5), 32, 16)
    return b.Concat(b.Slice(y, [3], [19], [1]), y, b.input(1, 5, 5, 5), axis=1)


def concat(b: Builder) -> str:
    x = b.input(1, 8, 6, 6)
    parts = [conv(b, x, 24, 8), b.Relu(conv(b, x, 16, 8, 3)), b.MaxPool(x, kernel_shape=[3, 3], pads=[1] * 4)]
    return b.Sigmoid(b.Concat(*parts, axis=1))


def circular_padding(b: Builder) -> str:
    """Circular padding, before a convolution, and of images and of rows after it."""
    y = conv(b, b.input(2, 16, 5, 9), 32, 16, 3)
    columns = b.Concat(b.Slice(y, [7], [9], [3]), y, b.Slice(y, [0], [2], [3]), axis=3)
    z = conv(b, columns, 32, 32, 3)
    return b.Concat(b.Concat(z, z, axis=0), b.Concat(z, b.Relu(z), axis=0), axis=2)


def reductions(b: Builder) -> str:
    y = conv(b, b.input(2, 8, 6, 6), 32, 8, 3)
    mean = b.ReduceMean(y, axes=[2, 3], keepdims=0)
    return b.Add(mean, b.ReduceMax(b.Mul(y, y), axes=[2, 3], keepdims=0))


def squeeze_and_excite(b: Builder) -> str:
    y = conv(b, b.input(2, 8, 6, 6), 32, 8, 3)
    gate = b.Sigmoid(conv(b, b.Relu(conv(b, b.GlobalAveragePool(y), 8, 32)), 32, 8))
    return b.Add(b.Mul(y, gate), b.Mul(y, b.value(32, 1, 1)))


def classifier(b: Builder) -> str:
    """31 channels get one more, whose values are infinite."""
    y = conv(b, b.input(2, 16, 5, 5), 31, 16, 3)
    return b.GlobalAveragePool(b.Reciprocal(b.Add(b.Relu(y), 1 + abs(b.value(31, 1, 1)))))


def shuffle(groups: int, batch: int = 2) -> Writer:
    def write(b: Builder) -> str:
        x = b.Relu(b.input(batch, 48, 6, 5))
        split = b.Reshape(x, [batch, groups, 48 // groups, 6, 5])
        mixed = b.Reshape(b.Transpose(split, perm=[0, 2, 1, 3, 4]), [batch, 48, 6, 5])
        return b.Concat(conv(b, mixed, 48, 1, 3, group=48), mixed, axis=1)

    return write


def residual(b: Builder) -> str:
    x = b.input(1, 16, 7, 7)
    y = b.Relu(conv(b, x, 16, 16, 3))
    z = b.LRN(b.Add(conv(b, y, 16, 8, 3, group=2), y), size=3)
    return b.Add(b.AveragePool(z, kernel_shape=[3, 3], pads=[1] * 4), conv(b, b.Add(x, z), 16, 16))


def responses(b: Builder) -> str:
    """Windows in blocks of 32, 16 and 8, over one block and several, with an epilogue and other exponents."""
    x = b.input(2, 8, 6, 5)
    wide = b.LRN(conv(b, x, 64, 8, 3), size=5, alpha=2.0)
    parts = [
        b.Relu(wide),
        b.LRN(conv(b, x, 48, 8), size=17, alpha=3.0, bias=2.0),
        b.LRN(conv(b, x, 24, 8), size=15, alpha=1.0, beta=0.6),
        b.LRN(conv(b, x, 8, 8), size=3, alpha=1.0, beta=0.5),
        b.LRN(conv(b, x, 32, 8), size=19, alpha=1.0),
        b.MaxPool(wide, kernel_shape=[3, 3], pads=[1] * 4),
    ]
    return b.Concat(*parts, axis=1)


FORMS = {
    "slice_and_pad": slice_and_pad,
    "slice_backwards": slice_backwards,
    "odd_slice": odd_slice,
    "concat": concat,
    "circular_padding": circular_padding,
    "reductions": reductions,
    "squeeze_and_excite": squeeze_and_excite,
    "classifier": classifier,
    "shuffle_2": shuffle(2),
    "shuffle_4": shuffle(4),
    "shuffle_3": shuffle(3),
    "shuffle_8": shuffle(8, batch=1),
    "residual": residual,
    "responses": responses,
}
MODEL, INPUTS = model_of(FORMS, opset=13)


@pytest.mark.parametrize(
    "costs",
    [
        "always-blocked",
        pytest.param("analytic", marks=pytest.mark.slow),
        pytest.param("always-plain", marks=pytest.mark.slow),
    ],
)
def test_layouts_against_onnxruntime(costs: str) -> None:
    assert wrong_outputs(MODEL, INPUTS, replace_passes={PASS: f"{PASS}{{costs={costs}}}"}) == {}


def layouts_of(model: onnx.ModelProto, passes: str) -> set[str]:
    """The layouts of the model's convolutions after `passes`."""
    module = import_model(model).module
    run_pipeline(f"builtin.module(graph-optimize,func.func({passes}))", module)
    convs = collect_ops(module.operation, "graph.conv")
    return {ir.StringAttr(op.attributes["layout"]).value for op in convs}


@pytest.mark.parametrize(("costs", "layout"), [("always-blocked", "NCHWc"), ("always-plain", "NCHW")])
def test_the_costs_decide(costs: str, layout: str) -> None:
    assert layouts_of(MODEL, f"graph-pad-channels,{PASS}{{costs={costs}}}") == {layout}
