"""Where the IR of a failed pass goes, for `mlc-opt --run-reproducer`."""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path


def reproducer_path(folder: str | None) -> Path:
    """A new name in `folder`, or in the folder for temporary files; the file is written by who fails."""
    return Path(folder or tempfile.gettempdir()) / f"mlc-reproducer-{secrets.token_hex(6)}.mlir"
