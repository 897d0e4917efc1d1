"""The fused attention in the emulator: results, before and after its lowering to branches and PTX."""

import pytest
from emulator import Options
from gpu_kernels.attention import Attention
from kernel_runs import Change, as_built, attention_error, lower_kernel

# Weights and results are rounded to bf16.
TOLERANCE = 2e-2
Shape = tuple[int, int, int, int]


@pytest.mark.parametrize(
    ("config", "shape", "change"),
    [
        (Attention(width=64), (1, 1, 128, 320), as_built),
        (Attention(width=64, causal=True), (1, 1, 256, 256), lower_kernel),
        (Attention(width=64, overlap=False), (1, 1, 128, 384), as_built),
    ],
)
def test_results(config: Attention, shape: Shape, change: Change) -> None:
    assert attention_error(config, shape, Options(seed=1, warps_per_unit=4, races=True), change) < TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "shape"),
    [
        (Attention(), (2, 2, 256, 512)),
        (Attention(), (1, 1, 128, 320)),
        (Attention(causal=True), (2, 1, 512, 512)),
        (Attention(overlap=False), (1, 1, 128, 384)),
        (Attention(width=64, causal=True), (1, 1, 256, 256)),
    ],
)
def test_results_of_larger_shapes(config: Attention, shape: Shape) -> None:
    assert attention_error(config, shape, Options(warps_per_unit=4)) < TOLERANCE
