"""The Hopper GEMM in the emulator: numbers, before and after its lowering to branches and PTX."""

import ml_dtypes
import numpy as np
import pytest
from emulator import Options, TensorMap, launch
from gpu_kernels.gemm import Gemm, build_gemm
from gpu_kernels.lowering import lower
from mlc.bindings import create_context, ir

# Two roundings of a sum to bf16 or f16.
TOLERANCE = 1e-2
DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}


def error(
    config: Gemm, shape: tuple[int, int, int], blocks: int, options: Options, lowered: bool = False
) -> float:
    """The largest error of the kernel on random numbers, relative to the largest result."""
    (m, n, k), dtype = shape, DTYPES[config.kind]
    random = np.random.default_rng(options.seed)
    a = random.standard_normal((m, k)).astype(dtype)
    b = random.standard_normal((k, n) if config.right_rows else (n, k)).astype(dtype)
    c = np.zeros((m, n), dtype)
    with create_context(), ir.Location.unknown():
        module = build_gemm(config)
        if lowered:
            lower(module)
        maps = TensorMap(a, (64, 128)), TensorMap(b, config.right_box), TensorMap(c, (64, 64))
        launch(module, *maps, m, n, k, grid=(blocks,), shared_bytes=config.shared_bytes, options=options)
    exact = a.astype(np.float32) @ (b if config.right_rows else b.T).astype(np.float32)
    exact = np.maximum(exact, 0) if config.relu else exact
    return float(np.abs(c.astype(np.float32) - exact).max() / np.abs(exact).max())


CASES = {
    "two tiles each": (Gemm(stages=2), (128, 512, 192), 1),
    "ragged columns": (Gemm(stages=2), (128, 320, 128), 1),
    "odd chunks": (Gemm(columns=192, stages=2), (128, 384, 128), 1),
    "ragged rows": (Gemm(columns=128, stages=3, relu=True), (200, 128, 192), 2),
    "right by rows": (Gemm(columns=128, stages=2, right_rows=True), (128, 256, 192), 1),
    "f16": (Gemm(columns=64, kind="f16"), (128, 128, 320), 2),
    "cluster": (Gemm(columns=128, stages=2, cluster=2), (256, 256, 192), 2),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("lowered", [False, True], ids=["scf", "branches"])
def test_numbers(case: str, lowered: bool) -> None:
    config, shape, blocks = CASES[case]
    options = Options(seed=1, warps_per_unit=4, races=True)
    assert error(config, shape, blocks, options, lowered) < TOLERANCE


@pytest.mark.parametrize("early", [0.0, 0.5])
def test_warps_one_by_one_whenever_copies_come(early: float) -> None:
    options = Options(seed=2, early=early, races=True)
    assert error(Gemm(columns=64, stages=2), (128, 128, 256), 1, options) < TOLERANCE


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
def test_larger_numbers(config: Gemm, shape: tuple[int, int, int], blocks: int, seed: int) -> None:
    assert error(config, shape, blocks, Options(seed=seed, warps_per_unit=4)) < TOLERANCE
