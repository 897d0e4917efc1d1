"""Kernels of graph ops as code for AMD's GPUs: all of a thread's values stay in registers."""

from __future__ import annotations

import pytest
import test_tiles
from gpu_kernels.amdgcn import code, stack_use
from tile_kernels import text

# Case of test_tiles -> an instruction that its code has.
CASES = {
    "layer_norm": "ds_swizzle_b32",
    "maxima of columns": "v_max_f32",
    "product": "v_mfma_f32_16x16x4f32",
    "softmax of long rows": "ds_bpermute_b32",
}


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_spilled(name: str) -> None:
    assembly = code(text(test_tiles.CASES[name]), "amdgpu-kernel", "gfx90a").decode()
    assert CASES[name] in assembly
    assert stack_use(assembly) == [0, 0]
