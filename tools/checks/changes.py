"""The lines of a checkout that differ from a revision."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

_FILE = re.compile(r"\+\+\+ b/(.*)")
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def changed_lines(root: Path, revision: str) -> dict[str, set[int]]:
    """Returns the added and changed lines of each file since `revision`, those of untracked files included.

    Raises `subprocess.CalledProcessError` if git does not know the revision.
    """
    changed: dict[str, set[int]] = {}
    path = ""
    for line in _git(root, "diff", "--unified=0", "--no-ext-diff", "--no-color", revision).splitlines():
        if match := _FILE.fullmatch(line):
            path = match[1]
        elif match := _HUNK.match(line):
            first, count = int(match[1]), int(match[2] or 1)
            changed.setdefault(path, set()).update(range(first, first + count))
    for untracked in _git(root, "ls-files", "--others", "--exclude-standard").splitlines():
        length = len((root / untracked).read_bytes().splitlines())
        changed[untracked] = set(range(1, length + 1))
    return changed


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout
