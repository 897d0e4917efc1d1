"""The GEMM of cp.async, ldmatrix and mma.sync in the emulator."""

import ml_dtypes
import numpy as np
import pytest
from emulator import MemoryFault, Options, launch
from gpu_kernels.lowering import lower
from gpu_kernels.mma_sync import MmaSync, build_mma_sync
from mlc.bindings import create_context, ir

DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}
# Sums of some hundred products in f32, in another order.
TOLERANCE = 1e-5


def error(
    config: MmaSync, shape: tuple[int, int, int], options: Options, lowered: bool = False, cut: int = 0
) -> float:
    """The largest error relative to the largest result; A misses its last `cut` rows."""
    (m, n, k), dtype = shape, DTYPES[config.kind]
    random = np.random.default_rng(options.seed)
    a, b = (random.standard_normal(dims).astype(dtype) for dims in ((m, k), (k, n)))
    c = np.zeros((m, n), np.float32)
    with create_context(), ir.Location.unknown():
        module = build_mma_sync(config)
        if lowered:
            lower(module)
        grid, size = (n // config.columns, m // config.rows), config.shared_bytes
        launch(module, a[: m - cut], b, c, n, k, grid=grid, shared_bytes=size, options=options)
    exact = a.astype(np.float32) @ b.astype(np.float32)
    return float(np.abs(c - exact).max() / np.abs(exact).max())


@pytest.mark.parametrize("lowered", [False, True], ids=["scf", "branches"])
@pytest.mark.parametrize(
    ("config", "shape"),
    [
        (MmaSync(rows=64, columns=64, stages=3), (64, 128, 160)),
        (MmaSync(rows=32, columns=128, stages=2, kind="f16"), (64, 128, 64)),
        (MmaSync(rows=64, columns=64), (64, 64, 32)),
    ],
)
def test_numbers(config: MmaSync, shape: tuple[int, int, int], lowered: bool) -> None:
    assert error(config, shape, Options(seed=1, races=True), lowered) < TOLERANCE


def test_reading_past_an_array_names_op_and_address() -> None:
    with pytest.raises(
        MemoryFault, match=r"cp\.async\.shared\.global.*at offset \d+ of argument array 0.*0x1"
    ):
        error(MmaSync(rows=64, columns=64), (64, 64, 32), Options(), cut=1)
