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
    """Of a kernel with enough heads for the largest tiles, unless others are asked for. `mask` is the shape
    and type of a mask's tensor."""
    kind = f"tensor<{heads}x{length}x{width}x{element}>"
    operands, kinds = ["%q", "%k", "%v"], [kind] * 3
    if mask:
        operands, kinds = [*operands, "%mask"], [*kinds, f"tensor<{mask}>"]
    arguments = ", ".join(f"{name}: {each}" for name, each in zip(operands, kinds, strict=True))
    text = f"""module attributes {{tloop.target = "cuda:{arch}"}} {{
      func.func private @k({arguments}) -> {kind}
          attributes {{tloop.kernel, accel.precision = "{precision}"}} {{
        %r = "graph.attention"({", ".join(operands)}) {{scale = 0.125 : f64, causal = {str(causal).lower()}}}
          : ({", ".join(kinds)}) -> {kind}
        return %r : {kind}
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
def test_ptxas_has_nothing_to_say(width: int, causal: bool) -> None:
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
    # Steps of 16 numbers of a query, and of 16 of 128 keys.
    of_scores, of_results = (1 + loops) * (width // 16), (loops + 1) * (128 // 16)
    if width == 128:
        assert scores == of_scores + of_results
    else:
        assert (scores, results) == (of_scores, of_results)
    # Queries, keys and values come by TMA, in panels of 64 numbers, and the result goes so; nothing else is
    # stored to shared memory. Of two panels of keys and of values, each of two blocks copies one for both.
    panels, together = width // 64, width == 128 and not causal
    assert ptx.count("multicast::cluster") == (2 if together else 0)
    assert (".reqnctapercluster 2, 1, 1" in ptx) == together
    copies = 2 + panels if together else 3 * panels
    assert ptx.count("cp.async.bulk.tensor.3d.shared::cluster.global") == copies
    assert ptx.count("cp.async.bulk.tensor.3d.global.shared::cta") == width // 64
    assert "stmatrix" in ptx and "st.global" not in ptx
    assert "cp.async.cg" not in ptx and "mma.sync" not in ptx and "st.shared" not in ptx


@pytest.mark.parametrize("causal", [False, True])
def test_the_softmax_runs_beside_a_product(causal: bool) -> None:
    """In each loop the powers of two come while a product is under way, and the last wait behind them."""
    ptx = ptx_of(128, causal, arch="sm_90a").decode()
    waits = [each.start() for each in re.finditer(r"wgmma\.wait_group\.sync\.aligned 1;", ptx)]
    assert len(waits) == (2 if causal else 1)
    for start in waits:
        part = ptx[start : ptx.index("wgmma.wait_group.sync.aligned 0;", start)]
        # One thread of a warp gives the keys back.
        _, part = part.split("mbarrier.arrive", 1)
        assert part.count("ex2.approx.ftz.f32") == 64 + 2
        # Two rows' greatest scores, of 4 threads; sums of weights stay apart.
        assert part.count("shfl.sync") == 2 * 2
        assert "bra" not in part


@pytest.mark.parametrize("causal", [False, True])
def test_groups_take_turns(causal: bool) -> None:
    """In a turn are both products of an iteration, none of which is waited for; behind the loops the last."""
    ptx = ptx_of(128, causal, arch="sm_90a").decode()
    turns = re.findall(r"bar\.sync\s+%r\d+, 256;.*?bar\.arrive\s+%r\d+, 256;", ptx, re.DOTALL)
    loops = 2 if causal else 1
    assert [turn.count("wgmma.mma_async") for turn in turns] == [8 + 8] * loops + [8]
    assert not any("wait" in turn for turn in turns)


@pytest.mark.parametrize("kernel", [{"width": 128, "heads": 4}, {"width": 256}])
def test_others_take_no_turns(kernel: dict[str, Any]) -> None:
    """One group of warps, and heads whose softmax is short."""
    assert b"bar.arrive" not in ptx_of(causal=True, arch="sm_90a", **kernel)


# Kernels of attention for sm_90a: few queries, other numbers of a head, masks, f16, an odd number of keys.
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


# Of the softmax, of waits, and of branches.
OTHERS = {"BRA", "F2FP", "FADD", "FFMA", "FMNMX", "FMUL", "FSEL", "MUFU", "SHFL", "STS", "SYNCS"}


@pytest.mark.slow
@pytest.mark.parametrize("causal", [False, True])
def test_a_turn_has_nothing_but_products(causal: bool) -> None:
    """And what computes addresses, of a loop's code from the group's barrier to its arrival at the other
    one's. Nor is there a branch until all products have ended."""
    code = assembled.listing(ptx_of(128, causal, arch="sm_90a"), "sm_90a")
    turns = re.findall(r"BAR\.SYNC\S* R\d+, 0x100 .*?BAR\.ARV R\d+, 0x100 ", code, re.DOTALL)
    assert len(turns) == (3 if causal else 2)
    for turn in turns[:-1]:
        words = Counter(re.findall(r"\*/\s+(?:@!?U?P\d )?(\w+)", turn))
        assert (words["HGMMA"], words["WARPGROUP"]) == (8 + 8, 2)
        assert not OTHERS & set(words)
        # Keys on the diagonal are compared by their distance from a thread's first one.
        assert words["LOP3"] < 8
        behind = code[code.index(turn) :]
        softmax = behind[: behind.index("WARPGROUP.DEPBAR.LE gsb0, 0x0")]
        assert softmax.count("MUFU.EX2") == 64 + 2 and "BRA" not in softmax
