"""The Hopper GEMM in the emulator: results, before and after its lowering to branches and PTX."""

import pytest
from emulator import Options
from gpu_kernels.gemm import Gemm
from kernel_runs import Change, as_built, gemm_error, lower_kernel

# Two roundings of a sum to bf16 or f16.
TOLERANCE = 1e-2
CASES = {
    "two tiles each": (Gemm(stages=2), (128, 512, 192), 1),
    "ragged columns": (Gemm(stages=2), (128, 320, 128), 1),
    "odd chunks": (Gemm(columns=192, stages=2), (128, 384, 128), 1),
    "ragged rows": (Gemm(columns=128, stages=3, relu=True), (200, 128, 192), 2),
    "right by rows": (Gemm(columns=128, stages=2, right_rows=True), (128, 256, 192), 1),
    "f16": (Gemm(columns=64, element_type="f16"), (128, 128, 320), 2),
    "cluster": (Gemm(columns=128, stages=2, cluster=2), (256, 256, 192), 2),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("change", [as_built, lower_kernel])
def test_results(case: str, change: Change) -> None:
    config, shape, blocks = CASES[case]
    options = Options(seed=1, warps_per_unit=4, races=True)
    assert gemm_error(config, shape, blocks, options, change) < TOLERANCE


@pytest.mark.parametrize("early", [0.0, 0.5])
def test_warps_one_by_one_whenever_copies_come(early: float) -> None:
    options = Options(seed=2, early=early, races=True)
    assert gemm_error(Gemm(columns=64, stages=2), (128, 128, 256), 1, options) < TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("config", "shape", "blocks"),
    [
        (Gemm(), (256, 512, 384), 2),
        (Gemm(), (256, 320, 320), 1),
        (Gemm(right_rows=True), (256, 512, 384), 2),
        (Gemm(columns=128, stages=6, relu=True), (200, 256, 512), 2),
        (Gemm(cluster=2), (384, 512, 448), 2),
        (Gemm(cluster=2, stages=2), (256, 512, 640), 4),
    ],
)
def test_results_of_larger_shapes(config: Gemm, shape: tuple[int, int, int], blocks: int, seed: int) -> None:
    assert gemm_error(config, shape, blocks, Options(seed=seed, warps_per_unit=4)) < TOLERANCE
