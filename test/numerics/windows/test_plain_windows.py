"""Windows on plain images, whose vectors run along the image's rows, for processors of this machine.

Tolerance: |a - b| <= 1e-5 * max(1, max |b|) against ONNX Runtime (see `oracle`).
"""

from __future__ import annotations

import numpy as np
import pytest
from idiom_builder import Builder, model_of
from onnx import parser
from oracle import compile_model, differences, expected_of, wrong_outputs
from test_layouts import conv, layouts_of
from test_targets import skip_unless_it_runs_here


def shuffle_unit(b: Builder) -> str:
    """Groups of 17 channels, which no block divides, around a window that a blocked image would need."""
    x = b.input(1, 68, 7, 19)
    y = b.Relu(conv(b, x, 68, 17, group=4))
    split = b.Reshape(y, [1, 4, 17, 7, 19])
    mixed = b.Reshape(b.Transpose(split, perm=[0, 2, 1, 3, 4]), [1, 68, 7, 19])
    return b.Relu(b.Add(conv(b, conv(b, mixed, 68, 1, 3, group=68), 68, 17, group=4), x))


def plain_windows(b: Builder) -> str:
    """Windows over rows of 6 to 49 elements, on channels without a block."""
    x = b.input(2, 5, 9, 49)
    y = conv(b, x, 5, 1, 3, group=5)
    y = b.Add(y, b.Conv(x, b.value(5, 1, 3, 5), group=5, dilations=[2, 3], pads=[2, 6, 2, 6]))
    narrow = b.Conv(y, b.value(5, 1, 2, 44), group=5, strides=[2, 1])
    full = b.Conv(narrow, b.value(3, 5, 3, 1))
    pools = [b.AveragePool(narrow, kernel_shape=[3, 1]), b.MaxPool(narrow, kernel_shape=[3, 1])]
    return b.Concat(full, *pools, axis=1)


def other_dims(b: Builder) -> str:
    """Windows over one and over three spatial dims, in groups."""
    line = b.Conv(b.input(3, 12, 37), b.value(10, 6, 5), b.value(10), group=2)
    volume = b.Conv(b.input(1, 4, 5, 6, 21), b.value(6, 2, 2, 3, 2), group=2)
    return b.Concat(b.Reshape(line, [-1]), b.Reshape(b.Relu(volume), [-1]), axis=0)


def padded_windows(b: Builder) -> str:
    """Windows whose padding is never in memory: uneven, of steps and holes, over rows of 5 to 70 elements."""
    x = b.Relu(b.input(2, 5, 11, 70))
    uneven = b.Conv(x, b.value(5, 1, 3, 5), group=5, strides=[2, 2], pads=[1, 2, 0, 1])
    holes = b.Conv(uneven, b.value(5, 1, 2, 3), b.value(5), group=5, dilations=[3, 2], pads=[2, 3, 1, 1])
    steps = [b.MaxPool(holes, kernel_shape=[3, 3], strides=[1, 2], pads=[1, 1, 1, 1])]
    for included in (0, 1):
        form = {
            "kernel_shape": [3, 3],
            "strides": [1, 2],
            "pads": [1, 1, 1, 1],
            "count_include_pad": included,
        }
        steps.append(b.AveragePool(b.Relu(holes), **form))
    small = b.Conv(b.input(1, 34, 5, 5), b.value(34, 1, 5, 5), group=34, pads=[2, 2, 2, 2])
    flat = [b.Reshape(step, [-1]) for step in (*steps, b.Relu(small))]
    return b.Concat(*flat, axis=0)


def pools(b: Builder) -> str:
    """Pools that are computed along rows, then along columns: wide images, large steps, three dims, holes."""
    wide, volume = b.Relu(b.input(1, 3, 9, 2501)), b.Relu(b.input(2, 5, 7, 8, 37))
    found = [
        b.MaxPool(wide, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 1, 1, 1]),
        b.MaxPool(wide, kernel_shape=[1, 5], strides=[3, 3], dilations=[1, 2]),
        b.AveragePool(wide, kernel_shape=[3, 7], strides=[3, 3], pads=[1, 3, 1, 3]),
        b.AveragePool(volume, kernel_shape=[3, 3, 2], strides=[2, 2, 2], pads=[1, 1, 0, 1, 1, 1]),
        b.MaxPool(volume, kernel_shape=[5, 7, 3], strides=[2, 2, 2], pads=[0, 0, 1, 0, 0, 1]),
    ]
    return b.Concat(*(b.Reshape(value, [-1]) for value in found), axis=0)


FORMS = {
    "pools": pools,
    "padded_windows": padded_windows,
    "shuffle_unit": shuffle_unit,
    "plain_windows": plain_windows,
    "other_dims": other_dims,
}
MODEL, INPUTS = model_of(FORMS, opset=13)


@pytest.mark.parametrize(
    "processor",
    [
        "x86-64-v4",
        pytest.param("x86-64-v3", marks=pytest.mark.slow),
        pytest.param("x86-64", marks=pytest.mark.slow),
    ],
)
def test_plain_windows_against_onnxruntime(processor: str) -> None:
    skip_unless_it_runs_here(processor)
    assert wrong_outputs(MODEL, INPUTS, target=processor) == {}


def test_they_stay_plain() -> None:
    assert layouts_of(MODEL, "graph-assign-layouts") == {"NCHW"}


def test_windows_beside_truth_values() -> None:
    """Made of a window's results, and chosen by."""
    built = parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 21]>
        g (float[2,5,9,20] x, bool[2,5,8,19] mask) => (bool[2,5,8,19] y, float[2,5,8,19] z, bool[2,5,8,19] u)
        { k = Constant<value_float = 0.5>()
          p = MaxPool<kernel_shape = [2, 2]>(x) y = Greater(p, k)
          q = AveragePool<kernel_shape = [2, 2]>(x) z = Where(mask, q, k)
          r = AveragePool<kernel_shape = [2, 2]>(x) s = Less(r, k) u = And(s, mask) }"""
    )
    rng = np.random.default_rng(1)
    x, mask = rng.normal(size=(2, 5, 9, 20)).astype(np.float32), rng.random((2, 5, 8, 19)) > 0.5
    inputs = {"x": x, "mask": mask}
    assert not differences(compile_model(built).run(inputs), expected_of(built, inputs))
