"""What tests an ONNX operator: ONNX's own cases as docs/conformance.md counts them, and files of this
repository that name it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_FOLDERS = ("test/frontends/onnx", "test/numerics")
# As text, and as a call in a model's text.
_NAMED = re.compile(r"""["'](\w+)["']|\b([A-Z]\w+)(?=\(|<\w+ = )""")


def own_cases(root: Path, domain: str, name: str) -> str:
    """How many of ONNX's cases of an operator pass, as they are and with sizes that only a call tells, as the
    repository at `root` records it."""
    row = _counts(root).get(f"{domain}.{name}" if domain else name)
    if row is None:
        return ""
    total, static, dynamic = row
    return f"{static} of {total}" if static == dynamic else f"{static} of {total}, any size {dynamic}"


@cache
def _counts(root: Path) -> dict[str, tuple[int, int, int]]:
    """Of docs/conformance.md's table: cases, and how many pass, static and dynamic."""
    text = (root / "docs" / "conformance.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \| (\d+) \| (\d+) \| \d+ \| (\d+) \|$", text, re.MULTILINE)
    return {name: (int(total), int(static), int(dynamic)) for name, total, static, dynamic in rows}


def file_of_tests(root: Path, name: str) -> str:
    """The file of tests in a repository that names the operator most often, the first of several; "" if none
    does."""
    found = {path: names.count(name) for path, names in _names(root).items()}
    best = max(found, key=lambda path: (found[path], -len(path)), default="")
    return f"`{best}`" if best and found[best] else ""


@cache
def _names(root: Path) -> dict[str, list[str]]:
    """What each file of tests names, in the order of the files."""
    files = sorted(path for folder in _FOLDERS for path in (root / folder).rglob("*.py"))
    return {
        str(path.relative_to(root / "test")): [
            "".join(each) for each in _NAMED.findall(path.read_text("utf-8"))
        ]
        for path in files
    }
