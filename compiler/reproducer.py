"""Paths of reproducers: the IR before a failed pass, for `mlc-opt --run-reproducer`."""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path


def reproducer_path(folder: str | None) -> Path:
    """Returns a new path in `folder`, or in the folder for temporary files; the failing pipeline writes
    it."""
    return Path(folder or tempfile.gettempdir()) / f"mlc-reproducer-{secrets.token_hex(6)}.mlir"
