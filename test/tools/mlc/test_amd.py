"""`mlc compile` with one of AMD's GPUs as target: assembly of kernels, errors for what needs a runtime."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

CONV = (
    "dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>"
)
MODELS = {
    "perceptron": """
func.func @main(%x: tensor<64x96xf32>, %w: tensor<96x128xf32>, %v: tensor<128x32xf32>) -> tensor<64x32xf32> {
  %0 = "graph.matmul"(%x, %w) : (tensor<64x96xf32>, tensor<96x128xf32>) -> tensor<64x128xf32>
  %1 = "graph.relu"(%0) : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %2 = "graph.matmul"(%1, %v) : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  return %2 : tensor<64x32xf32>
}""",
    "convolution": f"""
func.func @main(%x: tensor<1x16x28x28xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<1x32x28x28xf32> {{
  %0 = "graph.conv"(%x, %w) {{{CONV}, layout = "NCHW"}}
    : (tensor<1x16x28x28xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x28x28xf32>
  %1 = "graph.relu"(%0) : (tensor<1x32x28x28xf32>) -> tensor<1x32x28x28xf32>
  return %1 : tensor<1x32x28x28xf32>
}}""",
    "attention": """
!rows = tensor<2x8x128x64xf32>
func.func @main(%q: !rows, %k: !rows, %v: !rows) -> !rows {
  %0 = "graph.attention"(%q, %k, %v) {causal = true, scale = 0.125 : f64} : (!rows, !rows, !rows) -> !rows
  return %0 : !rows
}""",
}
# The names of one instruction on two processors.
PRODUCTS = {"gfx90a": "v_mfma_f32_16x16x4f32", "gfx942": "v_mfma_f32_16x16x4_f32"}


@pytest.mark.parametrize(
    ("name", "arch"),
    [(name, "gfx942") for name in MODELS] + [("perceptron", "gfx90a")],
)
def test_assembly(mlc: Any, tmp_path: Path, name: str, arch: str) -> None:
    """The kernels multiply by matrix instructions, and spill nothing."""
    model = tmp_path / f"{name}.mlir"
    model.write_text(MODELS[name])
    done = mlc("compile", model, "--target", f"hip:{arch}", "--emit=asm")
    assert done.status == 0, done.err
    assembly = (tmp_path / f"{name}.s").read_text()
    assert f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"' in assembly
    assert PRODUCTS[arch] in assembly
    spilled = re.findall(r"\.vgpr_spill_count: +(\d+)", assembly)
    assert spilled and set(spilled) == {"0"}


def test_levels(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    done = mlc("compile", mlp, "--target", "hip:gfx942", "--emit=llvm-ir", "--dump-ir", tmp_path / "ir")
    assert done.status == 0, done.err
    assert 'target triple = "amdgcn-amd-amdhsa"' in (tmp_path / "mlp.ll").read_text()
    assert [path for path in tmp_path.rglob("asm.s") if "amdgcn" in path.read_text()]


@pytest.mark.parametrize("emit", ["mlcx", "obj", "shared-lib"])
def test_nothing_is_linked(mlc: Any, mlp: Path, emit: str) -> None:
    done = mlc("compile", mlp, "--target", "hip:gfx942", f"--emit={emit}")
    assert done.status == 1
    assert f"--emit={emit} is not for hip:gfx942: nothing links, loads or runs code for it" in done.err
    assert "asm (AMDGCN assembly), llvm-ir, mlir" in done.err


def test_nothing_runs(mlc: Any, mlp: Path) -> None:
    done = mlc("run", mlp, "--target", "hip:gfx942")
    assert done.status == 1
    assert "no program can be linked, loaded or run for hip:gfx942" in done.err
    assert "--emit=asm" in done.err


def test_cubin(mlc: Any, mlp: Path) -> None:
    done = mlc("compile", mlp, "--target", "hip:gfx942", "--emit=asm", "--cubin")
    assert done.status == 1 and "cubin is for NVIDIA's GPUs, which hip:gfx942 is not" in done.err


def test_blocks_on_the_cpu(mlc: Any, mlp: Path) -> None:
    done = mlc("run", mlp, "--target", "hip:gfx942", "--blocks-on-cpu", "--verify", "--tolerance", "1e-5")
    assert done.status == 0, done.out + done.err


def test_targets(mlc: Any) -> None:
    listed = {target["name"] for target in mlc("targets", "--json").json()["targets"]}
    assert {"hip:gfx90a", "hip:gfx942"} <= listed
