"""Kernels that begin before earlier ones have ended: accesses before the wait are errors."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import assembled
import ml_dtypes
import numpy as np
import pytest
from early_accesses import WAIT as WAITS
from early_accesses import early_accesses
from emulator import EmulatorError, TensorMap
from gpu_kernels.tile_product import TileProduct
from snippets import run

from mlc.bindings import ir

sys.path.insert(0, str(Path(__file__).parents[2] / "numerics" / "blocks"))

import accel_gpu
import accel_kernels

Change = Callable[[ir.Module], ir.Module]
EARLY = "touches global memory before it has waited for the kernels before this one"
NEVER = "threads end that have not waited for the kernels before this one"
BEGIN, WAIT = "nvvm.griddepcontrol launch_dependents", "nvvm.griddepcontrol wait"
ADDRESS = "%at = llvm.getelementptr %p0[%tid] : (!llvm.ptr, i32) -> !llvm.ptr, i32\n"
LOAD_TILE = """%to = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>
  %barrier = llvm.getelementptr %smem[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %first = arith.cmpi eq, %tid, %c0 : i32
  scf.if %first {
    nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %p0, %barrier, box[%c0, %c0]
      : !llvm.ptr<7>, !llvm.ptr
  }"""
STORE_TILE = """%first = arith.cmpi eq, %tid, %c0 : i32
  scf.if %first { nvvm.cp.async.bulk.tensor.global.shared.cta %p0, %smem, box[%c0, %c0] : !llvm.ptr, <3> }"""
# Name -> what a thread does with the array, or the tensor map, %p0.
ACCESSES = {
    "llvm.load": ADDRESS + "%value = llvm.load %at : !llvm.ptr -> i32",
    "llvm.store": ADDRESS + "llvm.store %tid, %at : i32, !llvm.ptr",
    "llvm.atomicrmw": "%old = llvm.atomicrmw add %p0, %c1 monotonic : !llvm.ptr, i32",
    "nvvm.cp.async.shared.global": """%from = llvm.addrspacecast %p0 : !llvm.ptr to !llvm.ptr<1>
      nvvm.cp.async.shared.global %smem, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>""",
    "nvvm.cp.async.bulk.tensor.shared.cluster.global": LOAD_TILE,
    "nvvm.cp.async.bulk.tensor.global.shared.cta": STORE_TILE,
}


def run_access(name: str, before: str) -> None:
    array = np.zeros((32, 4), np.int32)
    mapped = TensorMap(array, (4, 4), swizzle=0) if "bulk" in name else array
    run(f"{before}\n{ACCESSES[name]}\n{WAIT}", mapped, shared_bytes=2048)


@pytest.mark.parametrize("name", ACCESSES)
def test_accesses_before_the_wait_are_errors(name: str) -> None:
    with pytest.raises(EmulatorError, match=rf"{re.escape(name)} .*{EARLY}"):
        run_access(name, BEGIN)


@pytest.mark.parametrize("name", [access for access in ACCESSES if "bulk" not in access])
def test_accesses_after_the_wait_are_no_errors(name: str) -> None:
    run_access(name, f"{BEGIN}\n{WAIT}")


def test_threads_wait_for_themselves() -> None:
    some = f"%some = arith.cmpi ult, %tid, %c2 : i32\nscf.if %some {{ {WAIT} }}"
    with pytest.raises(EmulatorError, match=EARLY):
        run(f"{some}\n{ACCESSES['llvm.load']}", np.zeros(32, np.int32))


@pytest.mark.parametrize("body", ["", f"%some = arith.cmpi ult, %tid, %c2 : i32\nscf.if %some {{ {WAIT} }}"])
def test_threads_that_do_not_wait_are_an_error(body: str) -> None:
    with pytest.raises(EmulatorError, match=NEVER):
        run(f"{BEGIN}\n{body}")


def test_a_kernel_without_waits_begins_after_others() -> None:
    run(ACCESSES["llvm.load"], np.zeros(32, np.int32))


# Programs of thread blocks, their arrays, and the number of waits in their threads' code: one per role; of
# the producers one each for the thread that works, the others of its warp, and the other warps.
PRODUCT = TileProduct(rows=64, columns=64, size=128, stages=2, warps=4)
PROGRAMS: dict[str, tuple[str, list[tuple[Any, Any]], int]] = {
    "elementwise": (accel_kernels.masked_kernel(1000), [(1024, np.float16), (1024, np.float32)], 1),
    "product": (PRODUCT.text(), [((128, 128), ml_dtypes.bfloat16)] * 2 + [((128, 128), np.float32)], 4),
}


def replace_match(pattern: str, replacement: str, index: int = 0) -> Change:
    """Returns a change that replaces the match at `index` of `pattern` in the threads' code."""

    def change(module: ir.Module) -> ir.Module:
        text = str(module)
        match = list(re.finditer(pattern, text, re.MULTILINE))[index]
        return ir.Module.parse(text[: match.start()] + match.expand(replacement) + text[match.end() :])

    return change


MUTANTS = {
    "no wait": ("elementwise", replace_match(WAIT, "")),
    "a load before the wait": (
        "elementwise",
        replace_match(rf"{WAIT}\n((?:.*\n)*?.*llvm\.load .*\n)", rf"\1{WAIT}\n"),
    ),
    "a store before the wait": (
        "elementwise",
        replace_match(rf"{WAIT}\n((?:.*\n)*?)( *llvm\.return)", rf"\1{WAIT}\n\2"),
    ),
    "consumers do not wait": ("product", replace_match(WAIT, "", 0)),
    "producers do not wait": ("product", replace_match(WAIT, "", 1)),
    "idle threads do not wait": ("product", replace_match(WAIT, "", -1)),
}


def run_program(name: str, change: Change) -> None:
    text, arrays, _ = PROGRAMS[name]
    made = [np.zeros(shape, dtype) for shape, dtype in arrays]
    accel_gpu.run(text, *made, arch="sm_90a", change=change)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_wait_first(name: str) -> None:
    def count_waits(module: ir.Module) -> ir.Module:
        assert str(module).count(BEGIN) == 1 and str(module).count(WAIT) == PROGRAMS[name][2]
        return module

    run_program(name, count_waits)


@pytest.mark.parametrize("name", MUTANTS)
def test_mistakes_are_caught(name: str) -> None:
    program, change = MUTANTS[name]
    with pytest.raises(EmulatorError, match=f"{EARLY}|{NEVER}"):
        run_program(program, change)


@pytest.mark.parametrize("name", PROGRAMS)
def test_code_has_the_instructions(name: str) -> None:
    """Machine code has as many as the threads' code: none is duplicated or dropped."""
    text, _, waits = PROGRAMS[name]
    ptx = assembled.ptx_of(text, "sm_90a", assembled.threads("sm_90a"))
    assert ptx.count(b"griddepcontrol.launch_dependents;") == 1
    assert ptx.count(b"griddepcontrol.wait;") == waits
    # Loads of memory that is constant while the kernel runs: here it begins too early.
    assert b"ld.global.nc" not in ptx
    assembled.check_with_ptxas(ptx, "sm_90a")
    words = assembled.instructions(ptx, "sm_90a")
    assert words["PREEXIT"] == 1 and words["ACQBULK"] == waits
    listing = assembled.listing(ptx, "sm_90a")
    assert early_accesses(listing) == []
    # As if the code had no such instruction: the accesses are found.
    assert {"product": "UTMALDG", "elementwise": "LDG"}[name] in str(
        early_accesses(listing.replace(WAITS, "NOP"))
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_sm_80_has_none(name: str) -> None:
    assert b"griddepcontrol" not in assembled.ptx_of(PROGRAMS[name][0], "sm_80", assembled.threads("sm_80"))
