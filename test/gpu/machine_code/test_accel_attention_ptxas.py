"""Attention as PTX, and where it is installed through NVIDIA's assembler."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import assembled
import pytest

HEADS, LENGTH = 64, 1024
# Numbers of a head -> (warps, products of a warp's rows with 64 keys, and of its weights with their values)
PRODUCTS = {64: (4, 2 * (4 * 8 + 4 * 8)), 128: (8, 8 * 8 + 4 * 16)}


def ptx_of(
    width: int,
    causal: bool,
    element: str = "bf16",
    precision: str = "exact",
    arch: str = "sm_80",
    heads: int = HEADS,
    length: int = LENGTH,
    mask: str = "",
) -> bytes:
    """Returns the PTX of a kernel, by default with enough heads for the largest tiles. `mask` is the shape
    and element type of the mask's tensor."""
    tensor = f"tensor<{heads}x{length}x{width}x{element}>"
    operands, types = ["%q", "%k", "%v"], [tensor] * 3
    if mask:
        operands, types = [*operands, "%mask"], [*types, f"tensor<{mask}>"]
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in zip(operands, types, strict=True))
    text = f"""module attributes {{tloop.target = "cuda:{arch}"}} {{
      func.func private @k({arguments}) -> {tensor}
          attributes {{tloop.kernel, accel.precision = "{precision}"}} {{
        %r = "graph.attention"({", ".join(operands)}) {{scale = 0.125 : f64, causal = {str(causal).lower()}}}
          : ({", ".join(types)}) -> {tensor}
        return %r : {tensor}
      }} }}"""
    passes = "accel-from-attention, func.func(tloop-expand-math{keep-approximate=true})"
    return assembled.ptx_of(text, arch, f"{passes}, {assembled.threads(arch)}")


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("width", PRODUCTS)
def test_ptx_has_the_instructions(width: int, causal: bool) -> None:
    ptx = ptx_of(width, causal).decode()
    warps, products = PRODUCTS[width]
    assert f".reqntid {32 * warps}" in ptx
    assert ptx.count("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32") == products
    # Keys and values of the first block, and of the next one while a block is computed.
    pieces = 2 * 64 * width * 2 // 16 // (32 * warps)
    assert ptx.count("cp.async.cg.shared.global") == 2 * pieces
    assert "ex2.approx.ftz" in ptx
    # Weights go from one product to the other in registers: nothing is stored to shared memory.
    assert "st.shared" not in ptx


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("width", PRODUCTS)
def test_ptxas_has_no_warnings(width: int, causal: bool) -> None:
    assembled.check_with_ptxas(ptx_of(width, causal), "sm_80")


@pytest.mark.slow
@pytest.mark.parametrize("mask", ["1024x1024xbf16", "64x1024x1024xbf16", "1024xbf16", "1024x1024xi1"])
@pytest.mark.parametrize("width", PRODUCTS)
def test_masks_leave_registers(width: int, mask: str) -> None:
    assembled.check_with_ptxas(ptx_of(width, False, mask=mask), "sm_80")


@pytest.mark.slow
@pytest.mark.parametrize("width", PRODUCTS)
@pytest.mark.parametrize("precision", ["exact", "tf32"])
def test_f32_stays_in_registers(width: int, precision: str) -> None:
    ptx = ptx_of(width, False, "f32", precision)
    assert (b"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" in ptx) == (precision == "tf32")
    assembled.check_with_ptxas(ptx, "sm_80")


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("width", PRODUCTS)
def test_groups_of_warps_have_roles(width: int, causal: bool) -> None:
    """Two groups of 64 queries each, and producers. A thread's code has the first block of keys, a loop of
    the others, one more for those that causal masks cut, and the last product with values."""
    ptx = ptx_of(width, causal, arch="sm_90a").decode()
    assert ".reqntid 384" in ptx and ptx.count("setmaxnreg") == 2
    loops = 2 if causal else 1
    scores = ptx.count("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16")
    results = ptx.count(f"wgmma.mma_async.sync.aligned.m64n{width}k16.f32.bf16.bf16")
    # Steps of 16 elements of a query, and of 16 of 128 keys.
    of_scores, of_results = (1 + loops) * (width // 16), (loops + 1) * (128 // 16)
    if width == 128:
        assert scores == of_scores + of_results
    else:
        assert (scores, results) == (of_scores, of_results)
    # TMA loads queries, keys and values, in panels of 64 elements, and stores the result; nothing else is
    # stored to shared memory. Of two panels of keys and values each of two thread blocks copies one.
    panels, together = width // 64, width == 128 and not causal
    assert ptx.count("multicast::cluster") == (2 if together else 0)
    assert (".reqnctapercluster 2, 1, 1" in ptx) == together
    copies = 2 + panels if together else 3 * panels
    assert ptx.count("cp.async.bulk.tensor.3d.shared::cluster.global") == copies
    assert ptx.count("cp.async.bulk.tensor.3d.global.shared::cta") == width // 64
    assert "stmatrix" in ptx and "st.global" not in ptx
    assert "cp.async.cg" not in ptx and "mma.sync" not in ptx and "st.shared" not in ptx


@pytest.mark.parametrize("causal", [False, True])
def test_the_softmax_overlaps_with_an_mma(causal: bool) -> None:
    """In each loop the powers of two are computed while an mma is in flight, and the last wait follows
    them."""
    ptx = ptx_of(128, causal, arch="sm_90a").decode()
    waits = [match.start() for match in re.finditer(r"wgmma\.wait_group\.sync\.aligned 1;", ptx)]
    assert len(waits) == (2 if causal else 1)
    for start in waits:
        part = ptx[start : ptx.index("wgmma.wait_group.sync.aligned 0;", start)]
        # One thread of a warp releases the keys.
        _, part = part.split("mbarrier.arrive", 1)
        assert part.count("ex2.approx.ftz.f32") == 64 + 2
        # The maxima of two rows over 4 threads; sums of weights stay partial.
        assert part.count("shfl.sync") == 2 * 2
        assert "bra" not in part


@pytest.mark.parametrize("causal", [False, True])
def test_warp_groups_ping_pong(causal: bool) -> None:
    """A section has both mma of an iteration, and no wait for them; the one after the loops has the last
    mma."""
    ptx = ptx_of(128, causal, arch="sm_90a").decode()
    sections = re.findall(r"bar\.sync\s+%r\d+, 256;.*?bar\.arrive\s+%r\d+, 256;", ptx, re.DOTALL)
    loops = 2 if causal else 1
    assert [section.count("wgmma.mma_async") for section in sections] == [8 + 8] * loops + [8]
    assert not any("wait" in section for section in sections)


@pytest.mark.parametrize("kernel", [{"width": 128, "heads": 4}, {"width": 256}])
def test_other_kernels_do_not_ping_pong(kernel: dict[str, Any]) -> None:
    """Kernels with one warp group, and with heads whose softmax is short."""
    assert b"bar.arrive" not in ptx_of(causal=True, arch="sm_90a", **kernel)


# Kernels of attention for sm_90a: few queries, other extents of heads, masks, f16, an odd number of keys.
HOPPER: dict[str, dict[str, Any]] = {
    "64": {"width": 64, "causal": False},
    "64, causal": {"width": 64, "causal": True},
    "128": {"width": 128, "causal": False},
    "128, causal": {"width": 128, "causal": True},
    "16": {"width": 16, "causal": True},
    "96": {"width": 96, "causal": False},
    "256": {"width": 256, "causal": False},
    "256, causal": {"width": 256, "causal": True},
    "f16": {"width": 128, "causal": True, "element": "f16"},
    "few heads": {"width": 128, "causal": True, "heads": 4},
    "few heads, not causal": {"width": 128, "causal": False, "heads": 4},
    "odd number of keys": {"width": 128, "causal": False, "length": 1000},
    "one block of keys": {"width": 64, "causal": False, "length": 128},
    "added mask": {"width": 64, "causal": False, "mask": "1x1024xbf16"},
    "mask of all scores": {"width": 128, "causal": False, "mask": "64x1024x1024xbf16"},
    "chosen keys": {"width": 128, "causal": True, "mask": "64x1x1024xi1"},
    "rows without whole units": {"width": 68, "causal": False},
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [n if n == "128, causal" else pytest.param(n, marks=pytest.mark.slow) for n in HOPPER]
)
def test_ptxas_does_not_serialise_groups(name: str) -> None:
    ptx = ptx_of(arch="sm_90a", **HOPPER[name])
    assert b"wgmma.mma_async" in ptx
    assembled.check_with_ptxas(ptx, "sm_90a")


@pytest.mark.slow
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("width", PRODUCTS)
def test_code_has_the_instructions(width: int, causal: bool) -> None:
    words = assembled.instructions(ptx_of(width, causal, arch="sm_90a"), "sm_90a")
    assert words["HGMMA"] and words["UTMALDG"] and words["MUFU"]
    assert not words["LDL"] and not words["STL"]


# Instructions of the softmax, of waits and of branches.
OTHERS = {"BRA", "F2FP", "FADD", "FFMA", "FMNMX", "FMUL", "FSEL", "MUFU", "SHFL", "STS", "SYNCS"}


@pytest.mark.slow
@pytest.mark.parametrize("causal", [False, True])
def test_a_section_has_mma_and_addresses_only(causal: bool) -> None:
    """A loop's section, from the wait at the group's barrier to the arrival at the other group's, has mma and
    the computation of addresses. There is no branch until all mma have ended."""
    code = assembled.listing(ptx_of(128, causal, arch="sm_90a"), "sm_90a")
    sections = re.findall(r"BAR\.SYNC\S* R\d+, 0x100 .*?BAR\.ARV R\d+, 0x100 ", code, re.DOTALL)
    assert len(sections) == (3 if causal else 2)
    for section in sections[:-1]:
        words = Counter(re.findall(r"\*/\s+(?:@!?U?P\d )?(\w+)", section))
        assert (words["HGMMA"], words["WARPGROUP"]) == (8 + 8, 2)
        assert not OTHERS & set(words)
        # Keys on the diagonal are compared by their distance from a thread's first one.
        assert words["LOP3"] < 8
        rest = code[code.index(section) :]
        softmax = rest[: rest.index("WARPGROUP.DEPBAR.LE gsb0, 0x0")]
        assert softmax.count("MUFU.EX2") == 64 + 2 and "BRA" not in softmax
