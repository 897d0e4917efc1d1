"""Lets a module of `dialects/` have the attributes of the wheel's module of the same name."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def wheel_attribute(module: str, name: str) -> Any:
    """Returns the attribute `name` of the wheel's module for the dialect of `module`, and keeps it there."""
    if name.startswith("__"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    value = getattr(import_module(f"torch_mlir.dialects.{module.rpartition('.')[2]}"), name)
    setattr(sys.modules[module], name, value)
    return value
