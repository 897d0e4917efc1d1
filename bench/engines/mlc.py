"""The compiler of this repository."""

from __future__ import annotations

import json
import os
from importlib import metadata
from pathlib import Path
from typing import Any

import mlc

from bench.engines import Call

# Environment variable: further keywords of `mlc.compile`, as JSON.
KEYWORDS = "BENCH_MLC_KEYWORDS"


def version() -> str:
    """The package's version."""
    return metadata.version("mlc-compiler")


def load(path: Path, threads: int) -> Call:
    """The compiled executable."""
    return mlc.compile(path, threads=threads, **json.loads(os.environ.get(KEYWORDS, "{}")))


def facts(call: Any) -> dict[str, Any]:
    """How compiling went."""
    return dict(call.manifest["report"])
