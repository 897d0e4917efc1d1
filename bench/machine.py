"""Describes the machine that a result was measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any


def describe() -> dict[str, Any]:
    """Returns processor, CPU count, load (one minute), system and Python."""
    return {
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    fields = (line.partition(":") for line in Path("/proc/cpuinfo").read_text().splitlines())
    return next(
        (value.strip() for name, _, value in fields if name.strip() == "model name"), platform.machine()
    )
