"""The IRDL definition of a Python-defined dialect, built once per process."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from mlc.bindings import ir

# Dialect -> how many ops and types it had, and the bytecode of their definition.
_DEFINITIONS: dict[type, tuple[int, bytes]] = {}


def load_definition(dialect: Any, emit: Callable[[], ir.Module]) -> ir.Module:
    """Returns the definition of a dialect's ops and types in the current context.

    `emit` builds it for the first context; later ones parse bytecode while the number of ops and types is the
    same. Building the definition of hundreds of ops in Python takes longer than all else a context needs.
    """
    size = len(dialect.operations) + len(dialect.types)
    if _DEFINITIONS.get(dialect, (0, b""))[0] == size:
        with ir.Location.unknown():
            return ir.Module.parse(_DEFINITIONS[dialect][1])
    module = emit()
    bytecode = io.BytesIO()
    module.operation.write_bytecode(bytecode)
    _DEFINITIONS[dialect] = size, bytecode.getvalue()
    return module
