"""Does this machine have the instructions that a compiled model uses?"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from mlc.runtime.errors import ExecutableError

# LLVM's feature name -> the flag of Linux's /proc/cpuinfo. Features that are not here are not checked.
_SAME_NAME = (
    "ssse3 avx avx2 fma f16c bmi2 movbe popcnt gfni vaes"
    " avx512f avx512bw avx512cd avx512dq avx512vl avx512ifma avx512vbmi"
)
CPUINFO_FLAGS = {
    **{name: name for name in _SAME_NAME.split()},
    "sse3": "pni",
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
    "bmi": "bmi1",
    "lzcnt": "abm",
    "avxvnni": "avx_vnni",
    "avx512vnni": "avx512_vnni",
    "avx512bf16": "avx512_bf16",
    "avx512fp16": "avx512_fp16",
    "avx512bitalg": "avx512_bitalg",
    "avx512vbmi2": "avx512_vbmi2",
    "avx512vpopcntdq": "avx512_vpopcntdq",
    "amx-tile": "amx_tile",
    "amx-int8": "amx_int8",
    "amx-bf16": "amx_bf16",
}
_LEVEL_2 = ("sse3", "ssse3", "sse4.1", "sse4.2", "popcnt")
_LEVEL_3 = (*_LEVEL_2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_LEVEL_4 = (*_LEVEL_3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
CPU_FEATURES = {"x86-64-v2": _LEVEL_2, "x86-64-v3": _LEVEL_3, "x86-64-v4": _LEVEL_4}


@lru_cache(maxsize=1)
def host_flags() -> frozenset[str]:
    """The flags of the first processor in /proc/cpuinfo; empty if they cannot be read."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("flags"):
                    return frozenset(line.partition(":")[2].split())
    except OSError:
        pass
    return frozenset()


def required_features(target: Mapping[str, Any]) -> list[str]:
    """LLVM features that code for `target` may use: those of its "cpu" if that is an x86-64 level, and
    its "features" ("avx2" or "+avx2"; "-avx2" takes one away)."""
    features = dict.fromkeys(CPU_FEATURES.get(str(target.get("cpu", "")), ()))
    for feature in target.get("features", ()):
        name = str(feature)
        if name.startswith("-"):
            features.pop(name[1:], None)
        else:
            features[name.removeprefix("+")] = None
    return list(features)


def check_host(target: Mapping[str, Any], where: str) -> None:
    """Raises ExecutableError naming what this machine lacks to run code for `target`."""
    machine = str(target.get("triple", "x86_64")).partition("-")[0]
    if machine != platform.machine():
        raise ExecutableError(f"{where}: compiled for {machine}, this machine is {platform.machine()}")
    known = [name for name in required_features(target) if name in CPUINFO_FLAGS]
    flags = host_flags()
    missing = [name for name in known if flags and CPUINFO_FLAGS[name] not in flags]
    if missing:
        raise ExecutableError(
            f"{where}: compiled for cpu '{target.get('cpu', '?')}' with {', '.join(missing)}, which this "
            "machine's processor lacks; compile it for this machine"
        )
