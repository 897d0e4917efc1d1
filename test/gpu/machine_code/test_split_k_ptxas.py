"""Products whose reductions blocks share, as PTX, and where it is installed through NVIDIA's assembler."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import assembled
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "numerics" / "blocks"))

from tile_convolutions import Conv
from tile_products import Product

from mlc.codegen.host_target import host_target

LONG = Product([128, 3072], [3072, 768], "f16", epilogue="residual").text()
# Name -> (kernel, architecture, the instruction of the tensor cores)
KERNELS = {
    "parts": (LONG, "sm_80", "mma.sync.aligned.m16n8k16"),
    "parts for groups of warps": (LONG, "sm_90a", "wgmma.mma_async.sync.aligned.m64n64k16"),
    "parts of a convolution": (
        Conv((7, 7), 512, 512, pads=(1, 1, 1, 1), element="f16", bias=True).text(), "sm_80",
        "mma.sync.aligned.m16n8k16",
    ),
    "a stream": (Product([1536, 4096], [4096, 1408], "bf16").text(), "sm_80", "mma.sync.aligned.m16n8k16"),
    "a stream for groups of warps": (
        Product([1792, 4096], [4096, 1280], "bf16").text(), "sm_90a",
        "wgmma.mma_async.sync.aligned.m64n128k16",
    ),
}  # fmt: skip


def ptx_of(name: str) -> bytes:
    text, arch, _ = KERNELS[name]
    module = text.replace(str(host_target()), f"cuda:{arch}")
    return assembled.ptx_of(module, arch, f"accel-kernel, {assembled.threads(arch)}")


@pytest.mark.parametrize("name", KERNELS)
def test_products_are_the_first_launch_s(name: str) -> None:
    first, second = re.split(r"\n\t*// \.globl", ptx_of(name).decode())[1:]
    product = KERNELS[name][2]
    assert product in first and product not in second
    # Sums come back 16 bytes at a time, and nothing goes through shared memory.
    assert re.search(r"ld\.global\.v4\.(b32|f32)", second)
    assert "cp.async" not in second and "st.shared" not in second


@pytest.mark.parametrize("name", KERNELS)
def test_ptxas_has_no_warnings(name: str) -> None:
    assembled.check_with_ptxas(ptx_of(name), KERNELS[name][1])
