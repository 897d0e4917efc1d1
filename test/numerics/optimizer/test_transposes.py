"""Kernels that read an operand across its rows, in squares of registers, for processors of this machine.

Tolerance: |a - b| <= 1e-5 * max(1, max |b|) against ONNX Runtime (see `oracle`); movement alone is exact.
"""

from __future__ import annotations

import numpy as np
import pytest
from idiom_builder import Builder, Form, model_of
from oracle import compile_model, differences, runtime
from test_targets import skip_unless_it_runs_here

from mlc.passes.schedule.cpu.transpose import block_of


def transpose(b: Builder, *shape: int, perm: tuple[int, ...] = (1, 0), dtype: type | None = None) -> str:
    return b.Transpose(b.input(*shape, dtype=dtype), perm=list(perm))


FORMS = {
    "whole_squares": lambda b: transpose(b, 512, 384),
    "overlapping_squares": lambda b: transpose(b, 395, 264),
    "no_divisors": lambda b: transpose(b, 293, 307),
    "inner_dims": lambda b: transpose(b, 3, 160, 37, 5, perm=(0, 2, 3, 1)),
    "narrow": lambda b: transpose(b, 4096, 17),
    "too_narrow": lambda b: transpose(b, 8192, 9),
    "channels_last": lambda b: transpose(b, 2, 48, 40, 40, perm=(0, 2, 3, 1)),
    "bytes": lambda b: b.Cast(transpose(b, 320, 272, dtype=np.int8), to=1),
    "long_integers": lambda b: b.Cast(transpose(b, 320, 272, dtype=np.int64), to=1),
    "with_arithmetic": lambda b: b.Relu(
        b.Add(transpose(b, 300, 288), b.Mul(b.input(288, 300), b.value(300)))
    ),
    "both_ways": lambda b: b.Add(transpose(b, 288, 320), b.Sigmoid(transpose(b, 288, 320))),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    "processor",
    [
        "x86-64-v4",
        *(pytest.param(processor, marks=pytest.mark.slow) for processor in ("x86-64-v3", "x86-64")),
    ],
)
def test_transposes_against_onnxruntime(name: str, processor: str) -> None:
    skip_unless_it_runs_here(processor)
    model, inputs = model_of({name: Form(FORMS[name], [])}, opset=13)
    expected = runtime(model, inputs)
    assert expected is not None
    assert not differences(compile_model(model, target=processor).run(inputs), expected)


@pytest.mark.parametrize(
    ("extent", "block"),
    [(512, 64), (48, 48), (96, 48), (395, 395), (60, 60), (100, 50), (4608, 64), (293, 293)],
)
def test_blocks_divide_and_hold_squares_where_they_can(extent: int, block: int) -> None:
    assert block_of(extent, 16) == block
