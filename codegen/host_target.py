"""Targets of this machine, and of LLVM's processor names that `mlc.targets` does not describe."""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from mlc.targets import Target, TargetError, parse_target, set_host_provider, suggestion
from mlc.targets.features import llvm_features, unknown_features

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"": 1, "K": 1024, "M": 1024 * 1024}


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

    Raises TargetError for names and features that LLVM does not know either.
    """
    target = parse_target(text, describe=describe_cpu)
    if target.architecture == "x86_64" and (unknown := unknown_features(target.features)):
        raise TargetError(f"unknown target feature {unknown[0]!r} for {target.triple}")
    return target


def describe_cpu(cpu: str) -> Target:
    """Returns the description of LLVM's x86-64 processor `cpu` by its features."""
    table = llvm_features()
    if cpu in table.narrow:
        raise TargetError(f"target cpu {cpu!r} is no 64-bit processor")
    if cpu not in table.processors:
        hint = suggestion(cpu, "and LLVM's x86-64 names")
        raise TargetError(f"unknown target cpu {cpu!r}{hint}")
    features = table.processors[cpu]
    bits = 512 if "avx512f" in features else 256 if "avx" in features else 128
    return Target(name=cpu, cpu=cpu, vector_bits=bits, vector_registers=32 if bits == 512 else 16)


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
