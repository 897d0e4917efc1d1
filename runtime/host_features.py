"""Checks that this machine has the instructions that a compiled model uses."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Any

from mlc.runtime.errors import ExecutableError


def host_has(check: str) -> bool:
    """Whether this x86-64 processor has the feature of `check`: "NAME=CPUID:REGISTERS", as
    mlc_cpu_has in csrc/mlc_runtime.h describes it."""
    from mlc.runtime._native import cpu_has

    return cpu_has(check)


def check_host(target: Mapping[str, Any], where: str) -> None:
    """Raises ExecutableError naming what this machine lacks to run code for `target`, whose `requires` are
    the checks of the features that the code needs."""
    machine = str(target.get("triple", "x86_64")).partition("-")[0]
    if machine != platform.machine():
        raise ExecutableError(
            f"{where}: compiled for {machine} (cpu '{target.get('cpu', '?')}'), but this machine is"
            f" {platform.machine()}; compile it for this machine"
        )
    checks = map(str, target.get("requires", ()))
    missing = [check.partition("=")[0] for check in checks if not host_has(check)]
    if missing:
        raise ExecutableError(
            f"{where}: compiled for cpu '{target.get('cpu', '?')}' with {', '.join(missing)}, which this "
            "machine's processor lacks; compile it for this machine"
        )
