"""The compiler of this repository."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import mlc

from bench.engines import Call


def version() -> str:
    """The package's version."""
    return metadata.version("mlc-compiler")


def load(path: Path, threads: int) -> Call:
    """The compiled executable."""
    return mlc.compile(path, threads=threads)
