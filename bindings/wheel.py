"""Facts of the MLIR wheel that need none of its code."""

from __future__ import annotations

import os
from importlib.util import find_spec

_NAME = "torch_mlir"


def wheel_version() -> str:
    """The version of the installed wheel, from the name of its metadata folder; "unknown" without one.

    `importlib.metadata` would take longer than all else that `mlc-opt --version` does.
    """
    spec = find_spec(_NAME)
    if spec is None or not spec.submodule_search_locations:
        return "unknown"
    folder = os.path.dirname(next(iter(spec.submodule_search_locations)))
    prefix, suffix = f"{_NAME}-", ".dist-info"
    found = [name for name in os.listdir(folder) if name.startswith(prefix) and name.endswith(suffix)]
    return found[0].removeprefix(prefix).removesuffix(suffix) if found else "unknown"
