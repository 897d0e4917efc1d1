"""Targets of this machine, and of LLVM's processor names that `mlc.targets` does not describe."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from mlc.targets import Target, TargetError, parse_target, set_host_provider, suggestion
from mlc.targets.base import LINUX_X86_64

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"": 1, "K": 1024, "M": 1024 * 1024}

# Sixteen lanes of a*b+c, contractible: its assembly shows the widest registers and whether there is FMA.
_PROBE = """
define <16 x float> @probe(<16 x float> %a, <16 x float> %b, <16 x float> %c) {
  %p = fmul contract <16 x float> %a, %b
  %s = fadd contract <16 x float> %p, %c
  ret <16 x float> %s
}
"""


@functools.cache
def host_target() -> Target:
    """Returns this machine: LLVM's processor name and features, caches from sysfs, available cores."""
    features = llvm.get_host_cpu_features()
    sizes = _cache_sizes(_CACHES)
    return Target(
        name="host",
        triple=llvm.get_process_triple(),
        cpu=llvm.get_host_cpu_name(),
        features=tuple(f"{'+' if on else '-'}{name}" for name, on in sorted(features.items())),
        vector_bits=_vector_bits(features),
        vector_registers=_vector_registers(features),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0,
        l1d=sizes.get("l1d", Target.l1d),
        l2=sizes.get("l2", Target.l2),
        l3=sizes.get("l3", Target.l3),
    )


def resolve_target(text: str) -> Target:
    """Returns a target from "host", a known name, any other x86-64 processor name of LLVM's, or a target's
    text form.

    Raises TargetError for names that LLVM does not know either.
    """
    return parse_target(text, describe=probe_cpu)


@functools.cache
def probe_cpu(cpu: str) -> Target:
    """Returns the description of LLVM's x86-64 processor `cpu`; compiling for it shows its vectors."""
    if cpu not in _llvm_cpus():
        hint = suggestion(cpu, "and LLVM's x86-64 names")
        raise TargetError(f"unknown target cpu {cpu!r}{hint}")
    assembly = _probe_assembly(cpu)
    bits = 512 if "%zmm" in assembly else 256 if "%ymm" in assembly else 128
    registers = 32 if bits == 512 else 16
    # Processors with 256-bit vectors and without FMA exist: AVX alone.
    lacking = ("-fma",) if bits >= 256 and "vfmadd" not in assembly else ()
    return Target(name=cpu, cpu=cpu, features=lacking, vector_bits=bits, vector_registers=registers)


def _probe_assembly(cpu: str) -> str:
    """Returns the assembly of the probe for `cpu`.

    Runs in a separate process, since LLVM ends it for processors without 64-bit mode, which its list has too.
    """
    script = (
        "import sys; from mlc.codegen import host_target; from mlc.codegen.emit import emit;"
        "from mlc.targets import Target;"
        "target = Target(name=sys.argv[1], cpu=sys.argv[1], vector_bits=512);"
        "sys.stdout.buffer.write(emit(host_target._PROBE, target, 'asm'))"
    )
    command = [sys.executable, "-P", "-c", script, cpu]
    result = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if result.returncode != 0:
        raise TargetError(f"target cpu {cpu!r} is no 64-bit processor")
    return result.stdout


@functools.cache
def _llvm_cpus() -> frozenset[str]:
    """Returns LLVM's x86-64 processor names.

    Runs in a separate process, since LLVM only prints them to standard error.
    """
    script = (
        "import llvmlite.binding as l; l.initialize_all_targets();"
        f"l.Target.from_triple({LINUX_X86_64!r}).create_target_machine(cpu='help')"
    )
    listing = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    ).stderr
    return frozenset(re.findall(r"^\s+(\S+)\s+- Select the \S+ processor", listing, re.MULTILINE))


def _vector_bits(features: dict[str, bool]) -> int:
    if features.get("avx512f"):
        return 512
    return 256 if features.get("avx2") else 128


def _vector_registers(features: dict[str, bool]) -> int:
    few = llvm.get_process_triple().startswith("x86") and not features.get("avx512f")
    return 16 if few else 32


def _cache_sizes(folder: Path) -> dict[str, Any]:
    """Returns the sizes in bytes of the data caches in sysfs, by field of Target: some of l1d, l2, l3."""
    names = {"1Data": "l1d", "1Unified": "l1d", "2Unified": "l2", "3Unified": "l3"}
    sizes = {}
    for index in sorted(folder.glob("index*")):
        try:
            level, category, size = ((index / part).read_text().strip() for part in ("level", "type", "size"))
        except OSError:
            continue
        parsed = re.fullmatch(r"(\d+)([KM]?)", size)
        if parsed and level + category in names:
            sizes[names[level + category]] = int(parsed[1]) * _UNITS[parsed[2]]
    return sizes


set_host_provider(host_target)
