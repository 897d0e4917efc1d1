"""Programs of thread blocks as code for AMD's GPUs: its instructions, its resources, object files.

No such GPU was at hand: nothing here runs.
"""

from __future__ import annotations

import functools
import re

import pytest
from gpu_kernels.amdgcn import code, resource, stack_use
from gpu_kernels.tile_product import TileProduct

from mlc.codegen.emit import OutputFormat

F16 = TileProduct(128, 128, 64, stages=2, element="f16")
BF16 = TileProduct(128, 128, 64, stages=2)
F32 = TileProduct(64, 64, 32, stages=2, warps=4, element="f32")
TF32 = TileProduct(64, 64, 32, stages=2, warps=4, element="f32", precision="tf32")
# Program, processor -> the instruction, how many of them a wavefront's code has: a part of 64x64 of the
# result (32x64 of f32), each step of the reduction.
PRODUCTS = {
    "f16": (F16, "gfx90a", "v_mfma_f32_16x16x16f16", 4 * 4 * 4),
    "bf16": (BF16, "gfx90a", "v_mfma_f32_16x16x16bf16_1k", 4 * 4 * 4),
    "f32": (F32, "gfx90a", "v_mfma_f32_16x16x4f32", 2 * 4 * 8),
    "f16 on gfx942": (F16, "gfx942", "v_mfma_f32_16x16x16_f16", 4 * 4 * 4),
    "tf32 on gfx942": (TF32, "gfx942", "v_mfma_f32_16x16x8_xf32", 2 * 4 * 4),
}
ELF_MACHINE_AMDGPU = 224


@functools.cache
def code_of(name: str, output: OutputFormat = "asm") -> bytes:
    program, arch, _, _ = PRODUCTS[name]
    return code(program.text(), "accel-to-threads,amdgpu-to-llvm", arch, output)


@pytest.mark.parametrize("name", PRODUCTS)
def test_assembly_has_the_instructions(name: str) -> None:
    assembly = code_of(name).decode()
    _, arch, instruction, count = PRODUCTS[name]
    assert f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"' in assembly
    assert len(re.findall(rf"\b{instruction}\b", assembly)) == count
    assert len(re.findall(r"\bv_mfma", assembly)) == count
    # 16 bytes at a time from global memory, and into shared memory.
    assert "global_load_dwordx4" in assembly
    assert "ds_write_b128" in assembly


@pytest.mark.parametrize("name", PRODUCTS)
def test_nothing_is_spilled(name: str) -> None:
    assembly = code_of(name).decode()
    assert stack_use(assembly) == [0, 0]
    assert resource(assembly, "sgpr_spill_count") == 0
    assert resource(assembly, "max_flat_workgroup_size") == 32 * PRODUCTS[name][0].warps
    assert resource(assembly, "wavefront_size") == 64


def test_objects_are_relocatable_files_for_the_processor() -> None:
    data = code_of("bf16", "object")
    relocatable = 1
    assert data[:4] == b"\x7fELF"
    assert int.from_bytes(data[16:18], "little") == relocatable
    assert int.from_bytes(data[18:20], "little") == ELF_MACHINE_AMDGPU


@pytest.mark.parametrize("name", PRODUCTS)
def test_loads_are_in_flight_while_a_loop_multiplies(name: str) -> None:
    """The basic block that is the loop's body has loads, then mfma, then stores of the loaded values."""
    blocks = re.split(r"^\.LBB\S+:", code_of(name).decode(), flags=re.MULTILINE)
    (body,) = [block for block in blocks if "v_mfma" in block]
    names = re.findall(r"\b(global_load|v_mfma|ds_write|global_store)", body)
    order = [name for name, before in zip(names, ["", *names], strict=False) if name != before]
    assert order[:3] == ["global_load", "v_mfma", "ds_write"]
    assert set(order[3:]) <= {"global_store"}
