"""The kernels through mlc's own path to PTX, and where it is installed through NVIDIA's assembler."""

import functools
from collections.abc import Callable

import pytest
from assembled import check_with_ptxas, instructions, to_ptx
from gpu_kernels.attention import Attention, build_attention
from gpu_kernels.gemm import Gemm, build_gemm
from gpu_kernels.mma_sync import MmaSync, build_mma_sync

from mlc.bindings import create_context, ir

# Name -> (GPU, builder, instructions that the code must contain)
KERNELS: dict[str, tuple[str, Callable[[], ir.Module], set[str]]] = {
    "gemm": ("sm_90a", lambda: build_gemm(Gemm()), {"HGMMA", "UTMALDG", "UTMASTG", "STSM"}),
    "gemm right by rows": ("sm_90a", lambda: build_gemm(Gemm(right_rows=True)), {"HGMMA", "UTMALDG"}),
    "gemm f16 relu": (
        "sm_90a",
        lambda: build_gemm(Gemm(columns=128, element_type="f16", relu=True)),
        {"HGMMA"},
    ),
    "gemm in a cluster": ("sm_90a", lambda: build_gemm(Gemm(cluster=2)), {"HGMMA", "UTMALDG"}),
    "attention": ("sm_90a", lambda: build_attention(Attention()), {"HGMMA", "UTMALDG", "MUFU"}),
    "causal attention": ("sm_90a", lambda: build_attention(Attention(causal=True)), {"HGMMA"}),
    "narrow attention": ("sm_90a", lambda: build_attention(Attention(width=64)), {"HGMMA"}),
    "mma.sync": ("sm_80", lambda: build_mma_sync(MmaSync()), {"HMMA", "LDGSTS", "LDSM"}),
    "mma.sync f16": (
        "sm_90a",
        lambda: build_mma_sync(MmaSync(element_type="f16")),
        {"HMMA", "LDGSTS", "LDSM"},
    ),
}
PTX_OF = {"HGMMA": b"wgmma.mma_async", "UTMALDG": b"cp.async.bulk.tensor", "HMMA": b"mma.sync.aligned"}


@functools.cache
def ptx_of(name: str) -> bytes:
    arch, build, _ = KERNELS[name]
    with create_context(), ir.Location.unknown():
        return to_ptx(build(), arch)


@pytest.mark.parametrize("name", KERNELS)
def test_ptx_has_the_instructions(name: str) -> None:
    ptx, found = ptx_of(name), KERNELS[name][2]
    wanted = [text for instruction, text in PTX_OF.items() if instruction in found]
    assert wanted and all(text in ptx for text in wanted)
    assert (b".param .align 64 .b8" in ptx) == ("UTMALDG" in found or "HGMMA" in found)


@pytest.mark.parametrize("name", KERNELS)
def test_ptxas_has_no_warnings(name: str) -> None:
    check_with_ptxas(ptx_of(name), KERNELS[name][0])


@pytest.mark.parametrize("name", KERNELS)
def test_code_has_the_instructions(name: str) -> None:
    arch, _, wanted = KERNELS[name]
    words = instructions(ptx_of(name), arch)
    assert {name for name in wanted if not words[name]} == set()
    assert not words["LDL"] and not words["STL"]
