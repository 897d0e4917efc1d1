"""Kernels of models with matmuls, as machine code: on tensor cores, without spills and warnings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from assembled import REGISTERS_PER_SM, compiled_kernel, instructions, listing
from early_accesses import WAIT, early_accesses

from mlc.codegen.host_target import host_target
from mlc.codegen.ptxas import find_ptxas
from mlc.compiler.device.kernel import DeviceKernel
from mlc.targets import parse_target

sys.path.insert(0, str(Path(__file__).parents[2] / "numerics" / "blocks"))

from tile_convolutions import Conv, IntegerConv
from tile_products import IntegerProduct, Product, SmallFloatProduct

TARGETS = ("cuda:sm_80", "cuda:sm_90a")
# Instructions of mma of warps with asynchronous copies; of warp groups with loads by TMA, and stores by TMA.
AMPERE, HOPPER, STORES = {"HMMA", "LDGSTS"}, {"HGMMA", "UTMALDG"}, {"UTMASTG"}


def attention(width: int, causal: bool, element: str = "bf16") -> str:
    """Returns a kernel of attention with 64 heads and 1024 positions."""
    qkv = f"tensor<64x1024x{width}x{element}>"
    return f"""module attributes {{tloop.target = "{host_target()}"}} {{
      func.func private @k(%q: {qkv}, %k: {qkv}, %v: {qkv}) -> {qkv} attributes {{tloop.kernel}} {{
        %r = "graph.attention"(%q, %k, %v) {{scale = 0.125 : f64, causal = {str(causal).lower()}}} :
          ({qkv}, {qkv}, {qkv}) -> {qkv}
        return %r : {qkv}
      }} }}"""


# Bias, residual and activation of a product, in bf16.
EPILOGUE = f"""module attributes {{{{tloop.target = "{host_target()}"}}}} {{{{
  func.func private @k(%a: tensor<{{m}}x{{k}}xbf16>, %b: tensor<{{k}}x{{n}}xbf16>, %bias: tensor<{{n}}xf32>,
      %beside: tensor<{{m}}x{{n}}xbf16>) -> tensor<{{m}}x{{n}}xbf16> attributes {{{{tloop.kernel}}}} {{{{
    %0 = "graph.matmul"(%a, %b) {{{{graph.unrounded}}}} : (tensor<{{m}}x{{k}}xbf16>, tensor<{{k}}x{{n}}xbf16>)
      -> tensor<{{m}}x{{n}}xbf16>
    %1 = "graph.cast"(%0) : (tensor<{{m}}x{{n}}xbf16>) -> tensor<{{m}}x{{n}}xf32>
    %2 = "graph.add"(%1, %bias) : (tensor<{{m}}x{{n}}xf32>, tensor<{{n}}xf32>) -> tensor<{{m}}x{{n}}xf32>
    %3 = "graph.cast"(%beside) : (tensor<{{m}}x{{n}}xbf16>) -> tensor<{{m}}x{{n}}xf32>
    %4 = "graph.add"(%2, %3) : (tensor<{{m}}x{{n}}xf32>, tensor<{{m}}x{{n}}xf32>) -> tensor<{{m}}x{{n}}xf32>
    %5 = "graph.relu"(%4) : (tensor<{{m}}x{{n}}xf32>) -> tensor<{{m}}x{{n}}xf32>
    %6 = "graph.cast"(%5) : (tensor<{{m}}x{{n}}xf32>) -> tensor<{{m}}x{{n}}xbf16>
    return %6 : tensor<{{m}}x{{n}}xbf16>
  }}}}
}}}}"""

# Name -> (kernel, the instructions that it must have for each target)
KERNELS: dict[str, tuple[str, tuple[set[str], set[str]]]] = {
    "product bf16": (
        Product([2048, 512], [512, 768], "bf16", epilogue="bias").text(),
        (AMPERE, HOPPER | STORES),
    ),
    # Blocks that stay, with 256 columns of sums each, stored in parts.
    "large product bf16": (
        Product([4096, 1024], [1024, 4096], "bf16", epilogue="residual").text(),
        (AMPERE, HOPPER | STORES),
    ),
    # The epilogue is computed where nothing comes before the wait for the mma.
    "large product with all that follows": (
        EPILOGUE.format(m=4096, n=4096, k=1000),
        (AMPERE, HOPPER | STORES),
    ),
    "large product of odd extents": (
        EPILOGUE.format(m=4001, n=4104, k=1000),
        (AMPERE, HOPPER | STORES),
    ),
    "large product tf32": (
        Product([4096, 512], [512, 4096], precision="tf32", b_order=(1, 0), epilogue="bias").text(),
        (AMPERE, HOPPER | STORES),
    ),
    "large product of integers": (
        IntegerProduct([4096, 512], [512, 4096], ("i8", "i8"), flipped=True).text(),
        ({"IMMA", "LDGSTS"}, {"IGMMA", "UTMALDG"} | STORES),
    ),
    "product tf32": (
        Product([2048, 512], [512, 768], precision="tf32", b_order=(1, 0)).text(),
        (AMPERE, HOPPER | STORES),
    ),
    # Tiles that are too small for groups of warps.
    "product f16 of few tiles": (
        Product([128, 768], [768, 768], "f16", epilogue="residual").text(),
        (AMPERE, AMPERE),
    ),
    "scores of heads": (
        Product(
            [1, 12, 128, 64], [1, 12, 64, 128], "bf16", a_order=(0, 2, 1, 3), b_order=(0, 2, 3, 1)
        ).text(),
        (AMPERE, {"HGMMA", "LDGSTS", *STORES}),
    ),
    "convolution bf16": (
        Conv((56, 56), 64, 64, pads=(1, 1, 1, 1), element="bf16", bias=True).text(),
        (AMPERE, HOPPER | STORES),
    ),
    "convolution of a batch": (
        Conv((28, 28), 128, 128, pads=(1, 1, 1, 1), element="bf16", batch=32).text(),
        (AMPERE, HOPPER | STORES),
    ),
    "convolution with strides": (
        Conv((57, 57), 128, 256, strides=(2, 2), element="f16").text(),
        (AMPERE, HOPPER | STORES),
    ),
    "product of integers": (
        IntegerProduct([2048, 512], [512, 768], ("ui8", "i8"), flipped=True).text(),
        ({"IMMA", "LDGSTS"}, {"IGMMA", "UTMALDG"} | STORES),
    ),
    # In f16 where tensor cores have no floats of 8 bits.
    "product of floats of 8 bits": (
        SmallFloatProduct([2048, 512], [512, 768], flipped=True).text(),
        ({"HMMA", "LDGSTS"}, {"QGMMA", "UTMALDG"} | STORES),
    ),
    # The reduction is not the inner dim of the right operand, as wgmma wants it of 8 bits.
    "product of integers by rows": (
        IntegerProduct([2048, 512], [512, 768]).text(),
        ({"IMMA", "LDGSTS"}, {"IMMA", "LDGSTS"}),
    ),
    "convolution of integers": (
        IntegerConv((28, 28), 128, 128, pads=(1, 1, 1, 1), batch=32).text(),
        ({"IMMA", "LDGSTS"}, {"IGMMA", "UTMALDG"} | STORES),
    ),
    "attention": (attention(128, False), (AMPERE, HOPPER | STORES)),
    "causal attention": (attention(64, True), (AMPERE, HOPPER | STORES)),
}
FAST = {
    ("product bf16", "cuda:sm_80"),
    ("large product bf16", "cuda:sm_90a"),
    ("product of integers", "cuda:sm_90a"),
    ("convolution bf16", "cuda:sm_90a"),
    ("causal attention", "cuda:sm_90a"),
}


def compile_with_report(name: str, target: str) -> DeviceKernel:
    """Compiles a kernel with ptxas's report."""
    text = KERNELS[name][0].replace(str(host_target()), str(parse_target(target)))
    return compiled_kernel(text, target, assembler="report")


def cases() -> list[object]:
    """Returns all kernels by target; all but one per category are slow."""
    return [
        pytest.param(name, target, marks=() if (name, target) in FAST else pytest.mark.slow)
        for name in KERNELS
        for target in TARGETS
    ]


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas (a CUDA toolkit, or triton) is not installed")
@pytest.mark.parametrize(("name", "target"), cases())
def test_ptxas_has_no_warnings(name: str, target: str) -> None:
    """Warnings of lost performance (C75xx) and registers in memory among them."""
    kernel = compile_with_report(name, target)
    assert kernel.warnings == ()
    for resource in kernel.resources():
        spills = resource["stack_bytes"], resource["spill_store_bytes"], resource["spill_load_bytes"]
        assert spills == (0, 0, 0), resource
        assert 0 < resource["registers"] * resource["threads"] <= REGISTERS_PER_SM


@pytest.mark.parametrize(("name", "target"), cases())
def test_code_has_the_instructions(name: str, target: str) -> None:
    found = instructions(compile_with_report(name, target).image, parse_target(target).cpu)
    wanted = KERNELS[name][1][TARGETS.index(target)]
    assert {instruction for instruction in wanted if not found[instruction]} == set()
    assert not found["LDL"] and not found["STL"]
    if target == "cuda:sm_90a":
        code = listing(compile_with_report(name, target).image, "sm_90a")
        assert early_accesses(code) == [] and early_accesses(code.replace(WAIT, "NOP"))
