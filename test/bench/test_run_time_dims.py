"""The benchmark's kernels for any length compute what those for one length do."""

import numpy as np
import pytest

from bench.bert_kernels import KERNELS, BertKernel
from bench.run_time_dims import CompiledKernel, compare
from mlc.runtime._native import call_entry


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("length", [1, 7, 45])
def test_kernels_agree(kernel: BertKernel, length: int) -> None:
    """Within 1e-5 of the largest value: sums in another order. Below `least` one length has no kernel."""
    length = max(length, kernel.least)
    results = []
    for text in (kernel.text(None), kernel.text(length)):
        arrays = kernel.arrays(length)
        call_entry(CompiledKernel(text).image, "k", arrays, dims=[length], threads=2)
        results.append(arrays[-1])
    open_dims, fixed = results
    np.testing.assert_allclose(open_dims, fixed, rtol=1e-5, atol=1e-5 * np.abs(fixed).max())


def test_both_are_timed() -> None:
    kernel = next(candidate for candidate in KERNELS if candidate.name == "layer_norm")
    arrays = kernel.arrays(3)
    pair = [CompiledKernel(kernel.text(None)), CompiledKernel(kernel.text(3))]
    times = compare(pair[1], pair[0], arrays, length=3, threads=1, rounds=1)
    assert all(time > 0 for time in times)
    # Normalised, scaled and shifted rows.
    x, scale, shift = arrays[:3]
    rows = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
    np.testing.assert_allclose(arrays[3], rows * scale + shift, rtol=1e-4, atol=1e-5)
