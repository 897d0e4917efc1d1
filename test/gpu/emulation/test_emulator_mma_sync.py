"""The GEMM of cp.async, ldmatrix and mma.sync in the emulator."""

import pytest
from emulator import MemoryFault, Options
from gpu_kernels.mma_sync import MmaSync
from kernel_runs import Change, as_built, lower_kernel, mma_sync_error

# Sums of some hundred products in f32, in another order.
TOLERANCE = 1e-5


@pytest.mark.parametrize("change", [as_built, lower_kernel])
@pytest.mark.parametrize(
    ("config", "shape"),
    [
        (MmaSync(rows=64, columns=64, stages=3), (64, 128, 160)),
        (MmaSync(rows=32, columns=128, stages=2, element_type="f16"), (64, 128, 64)),
        (MmaSync(rows=64, columns=64), (64, 64, 32)),
    ],
)
def test_results(config: MmaSync, shape: tuple[int, int, int], change: Change) -> None:
    assert mma_sync_error(config, shape, Options(seed=1, races=True), change) < TOLERANCE


def test_reading_past_an_array_names_op_and_address() -> None:
    message = r"cp\.async\.shared\.global.*at offset \d+ of argument array 0.*0x1"
    with pytest.raises(MemoryFault, match=message):
        mma_sync_error(MmaSync(rows=64, columns=64), (64, 64, 32), Options(), cut=1)
