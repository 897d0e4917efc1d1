"""Checks that this machine has the instructions that a compiled model uses."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from mlc.runtime.errors import ExecutableError


@lru_cache(maxsize=1)
def host_flags() -> frozenset[str]:
    """Returns the flags of the first processor in /proc/cpuinfo; empty if they cannot be read."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("flags"):
                    return frozenset(line.partition(":")[2].split())
    except OSError:
        pass
    return frozenset()


def check_host(target: Mapping[str, Any], where: str) -> None:
    """Raises ExecutableError naming what this machine lacks to run code for `target`, whose `cpuinfo` lists
    the features that the code needs: "NAME=FLAG", LLVM's name and the flag in /proc/cpuinfo."""
    machine = str(target.get("triple", "x86_64")).partition("-")[0]
    if machine != platform.machine():
        raise ExecutableError(f"{where}: compiled for {machine}, this machine is {platform.machine()}")
    flags = host_flags()
    needed = [str(feature).partition("=")[::2] for feature in target.get("cpuinfo", ())]
    missing = [name for name, flag in needed if flags and flag not in flags]
    if missing:
        raise ExecutableError(
            f"{where}: compiled for cpu '{target.get('cpu', '?')}' with {', '.join(missing)}, which this "
            "machine's processor lacks; compile it for this machine"
        )
