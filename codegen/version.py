"""The version of the compiler as one string, which is part of every key of the disk cache."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

_DISTRIBUTIONS = ("mlc-compiler", "torch-mlir", "llvmlite")
# Programs are found by the bytes of their models: the front end is part of what made them.
_PACKAGES = (
    "bindings", "dialects", "frontends", "targets", "passes", "pipelines", "analysis", "codegen", "compiler",
)  # fmt: skip

# Tables of processors and passes are sources, too.
_SUFFIXES = (".py", ".tsv")


@functools.cache
def compiler_version() -> str:
    """Returns the versions of mlc and of its dependencies, and a fingerprint of mlc's sources that make code.

    The fingerprint (paths, sizes, times of change) invalidates the cache for an edited checkout.
    """
    versions = [f"{name} {_version(name)}" for name in _DISTRIBUTIONS]
    digest = hashlib.blake2b(digest_size=8)
    for line in _source_lines():
        digest.update(line.encode())
    return ", ".join([*versions, f"sources {digest.hexdigest()}"])


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "absent"


def _source_lines() -> Iterator[str]:
    for package in _PACKAGES:
        spec = find_spec(f"mlc.{package}")
        for folder in sorted(spec.submodule_search_locations or ()) if spec else ():
            for path in sorted(path for suffix in _SUFFIXES for path in Path(folder).rglob(f"*{suffix}")):
                status = path.stat()
                yield f"{package}/{path.relative_to(folder)} {status.st_size} {status.st_mtime_ns}\n"
