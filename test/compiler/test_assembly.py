"""The code of kernels for each architecture: vectors, nothing spilled, no calls of libm."""

from __future__ import annotations

import re

import pytest
from assembly_loops import INSTRUCTIONS, count, innermost_loops

from mlc.codegen.emit import emit
from mlc.compiler.kernel_job import lower
from mlc.passes.common.register_tiles import panel
from mlc.passes.common.target import lanes, registers
from mlc.targets import lookup

TARGETS = {
    "x86-64": "sse",
    "x86-64-v3": "avx",
    "x86-64-v4": "avx",
    "aarch64": "neon",
    "neoverse-n1": "neon",
    "aarch64-sve256": "sve",
    "aarch64-sve512": "sve",
    "riscv64-v128": "rvv",
    "riscv64-v256": "rvv",
    "sifive-x280": "rvv",
}
CONV = """
func.func private @k(%x: tensor<1x2x30x30x32xf32>, %w: tensor<2x2x3x3x32x32xf32>)
    -> tensor<1x2x28x28x32xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHWc",
    pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x2x30x30x32xf32>, tensor<2x2x3x3x32x32xf32>) -> tensor<1x2x28x28x32xf32>
  return %0 : tensor<1x2x28x28x32xf32>
}"""
# Sums of products: the innermost loop holds the register tile.
PRODUCTS = {
    "product": """
func.func private @k(%a: tensor<90x256xf32>, %b: tensor<3x256xPxf32>, %c: tensor<3xPxf32>)
    -> tensor<90x3xPxf32> attributes {tloop.kernel} {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<90x256xf32>, tensor<3x256xPxf32>) -> tensor<90x3xPxf32>
  %1 = "graph.add"(%0, %c) : (tensor<90x3xPxf32>, tensor<3xPxf32>) -> tensor<90x3xPxf32>
  %2 = "graph.relu"(%1) : (tensor<90x3xPxf32>) -> tensor<90x3xPxf32>
  return %2 : tensor<90x3xPxf32>
}""",
    "conv": CONV,
    "depthwise": CONV.replace("<2x2x3x3x32x32x", "<2x3x3x32x").replace("group = 1 ", "group = 64 "),
}
# Operands of 16 bits are widened; sums are f32, and rounded once.
BF16 = """
func.func private @k(%a: tensor<90x256xbf16>, %b: tensor<3x256xPxbf16>)
    -> tensor<90x3xPxbf16> attributes {tloop.kernel} {
  %0 = "graph.matmul_packed"(%a, %b) {graph.unrounded}
    : (tensor<90x256xbf16>, tensor<3x256xPxbf16>) -> tensor<90x3xPxbf16>
  %1 = "graph.cast"(%0) {saturate = true} : (tensor<90x3xPxbf16>) -> tensor<90x3xPxf32>
  %2 = "graph.relu"(%1) : (tensor<90x3xPxf32>) -> tensor<90x3xPxf32>
  %3 = "graph.cast"(%2) {saturate = true} : (tensor<90x3xPxf32>) -> tensor<90x3xPxbf16>
  return %3 : tensor<90x3xPxbf16>
}"""
# Polynomials of exp and erf, in loops that LLVM vectorises.
FUNCTIONS = {
    "softmax": """
func.func private @k(%a: tensor<64x256xf32>) -> tensor<64x256xf32> attributes {tloop.kernel} {
  %0 = "graph.softmax"(%a) {axis = 1} : (tensor<64x256xf32>) -> tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}""",
    "gelu": """
func.func private @k(%a: tensor<64x256xf32>) -> tensor<64x256xf32> attributes {tloop.kernel} {
  %0 = "graph.gelu"(%a) {approximate = "none"} : (tensor<64x256xf32>) -> tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}""",
}


def assembly(text: str, name: str) -> str:
    target = lookup(name)
    assert target is not None
    text = text.replace("xPx", f"x{panel(lanes(target), registers(target))}x")
    module = f'module attributes {{tloop.target = "{target}"}} {{{text}\n}}'
    return emit(lower(module, "cpu-kernel"), target, "asm").decode()


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("kernel", PRODUCTS)
def test_register_tiles(kernel: str, name: str) -> None:
    known = INSTRUCTIONS[TARGETS[name]]
    loops = innermost_loops(assembly(PRODUCTS[kernel], name))
    tiles = [lines for lines in loops if count(known.vector, lines)]
    assert tiles
    # 8 accumulators hide the multiply-adds' latency; one instruction of RISC-V works on several registers.
    assert max(count(known.vector, lines) for lines in tiles) >= (4 if TARGETS[name] == "rvv" else 8)
    assert [line for lines in loops for line in lines if count(known.scalar, [line])] == []
    assert [line for lines in tiles for line in lines if count(known.spill, [line])] == []


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("kernel", FUNCTIONS)
def test_functions_are_vectors(kernel: str, name: str) -> None:
    known = INSTRUCTIONS[TARGETS[name]]
    text = assembly(FUNCTIONS[kernel], name)
    assert count(known.vector, [line for lines in innermost_loops(text) for line in lines]) >= 5
    called = re.findall(known.call, text)
    assert [name for name in called if not name.startswith(("mlc_kmpc_", "mem"))] == []


@pytest.mark.parametrize("name", TARGETS)
def test_products_of_bf16_are_products_of_vectors(name: str) -> None:
    known = INSTRUCTIONS[TARGETS[name]]
    text = assembly(BF16, name)
    lines = [line for lines in innermost_loops(text) for line in lines]
    assert count(known.vector, lines) >= (4 if TARGETS[name] == "rvv" else 8)
    assert count(known.scalar, lines) == 0
    assert [name for name in re.findall(known.call, text) if not name.startswith("mlc_kmpc_")] == []
