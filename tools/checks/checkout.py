"""The source files of a checkout, as they lie there or at a revision."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePath


def files(root: Path, suffixes: tuple[str, ...], revision: str = "") -> dict[str, str]:
    """Returns the text of each file with one of the suffixes, by its path.

    Without a revision these are the files on disk that git tracks or does not ignore. Links are not followed.
    Raises `subprocess.CalledProcessError` for a revision that git does not know.
    """
    found = _archived(root, revision) if revision else _on_disk(root)
    return {path: content.decode() for path, content in found if path.endswith(suffixes)}


def _on_disk(root: Path) -> Iterator[tuple[str, bytes]]:
    listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").decode()
    for path in sorted(set(listed.split("\0"))):
        if (root / path).is_file() and not (root / path).is_symlink():
            yield path, (root / path).read_bytes()


def _archived(root: Path, revision: str) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(_git(root, "archive", "--format=tar", revision))) as archive:
        for member in archive:
            if content := archive.extractfile(member) if member.isfile() else None:
                yield member.name, content.read()


def _git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=True).stdout


def is_test(path: str) -> bool:
    """Whether a file is a test, or there for tests alone: `test/...` and `examples/.../test/...`."""
    return "test" in PurePath(path).parts[:-1]


def top_folder(path: str) -> str:
    """The first folder of a path; "." for a file at the top."""
    return PurePath(path).parts[0] if "/" in path else "."
