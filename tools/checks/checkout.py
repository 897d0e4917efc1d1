"""The source files of a checkout, on disk or at a revision."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePath

# Folders that builds write.
_OUTPUTS = ("build", "dist")


def files(root: Path, suffixes: tuple[str, ...], revision: str = "") -> dict[str, str]:
    """Returns the text of each file with one of the suffixes, by its path.

    Without a revision these are the files on disk, outside hidden folders and those of builds. Links are not
    followed. Raises `subprocess.CalledProcessError` for a revision that git does not know.
    """
    found = _read_archive(root, suffixes, revision) if revision else _read_disk(root, suffixes)
    return {path: content.decode() for path, content in found}


def _read_disk(root: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not (name.startswith(".") or name in _OUTPUTS))
        for path in (Path(folder, name) for name in sorted(names)):
            if path.name.endswith(suffixes) and path.is_file() and not path.is_symlink():
                yield path.relative_to(root).as_posix(), path.read_bytes()


def _read_archive(root: Path, suffixes: tuple[str, ...], revision: str) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(_git(root, "archive", "--format=tar", revision))) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.name.endswith(suffixes) else None
            if content is not None:
                yield member.name, content.read()


def _git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=True).stdout


def is_test(path: str) -> bool:
    """Whether a file is a test, or there for tests alone: `test/...` and `examples/.../test/...`."""
    return "test" in PurePath(path).parts[:-1]


def top_folder(path: str) -> str:
    """The first folder of a path; "." for a file at the top."""
    return PurePath(path).parts[0] if "/" in path else "."
