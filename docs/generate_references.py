"""Writes the reference pages under docs/, and the views of ops, from the code's own descriptions.

`make docs` or `python docs/generate_references.py` writes them, `--check` fails where one on disk is out of
date. A reference is a function without arguments that returns a page's text, and one line in REFERENCES;
those in OF_REPOSITORY are given the repository's folder, of which they read more than the code.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent


# Page -> "module:function".
REFERENCES = {
    "dialects/accel.md": "mlc.tools.references.dialects:accel",
    "dialects/graph.md": "mlc.dialects.graph.reference_page:reference",
    "dialects/tloop.md": "mlc.tools.references.dialects:tloop",
    "errors.md": "mlc.tools.references.errors:page",
    "operators.md": "mlc.tools.references.onnx_operators:page",
    "passes.md": "mlc.tools.references.passes:page",
    "pipelines.md": "mlc.tools.references.pipelines:page",
    "runtime-functions.md": "mlc.tools.references.runtime_functions:page",
    "tools.md": "mlc.tools.references.tools_overview:page",
    "tools/mlc.md": "mlc.tools.references.command_lines:mlc",
    "tools/mlc-opt.md": "mlc.tools.references.command_lines:mlc_opt",
    "tools/mlc-reduce.md": "mlc.tools.references.command_lines:mlc_reduce",
    "tools/mlc-translate.md": "mlc.tools.references.command_lines:mlc_translate",
}


OF_REPOSITORY = {"operators.md"}


# "module:function" of the generated Python files: their texts by their paths in the repository.
SOURCES = "mlc.tools.references.op_views:sources"


def text(name: str) -> str:
    """The page as the code says it now."""
    given = [DOCS.parent] if name in OF_REPOSITORY else []
    page: str = _function(REFERENCES[name])(*given)
    return page.rstrip("\n") + "\n"


def texts() -> dict[str, str]:
    """All generated pages as the code says them now, by their paths in the repository."""
    return {f"docs/{name}": text(name) for name in REFERENCES}


def _function(reference: str) -> Callable[..., Any]:
    module, _, function = reference.partition(":")
    return getattr(importlib.import_module(module), function)


def list_outdated(files: Mapping[str, str]) -> list[str]:
    """The paths of `files` where the text on disk is another, or missing."""
    return [path for path, content in files.items() if _read(DOCS.parent / path) != content]


def _read(path: Path) -> str | None:
    return path.read_text() if path.exists() else None


def main(arguments: list[str]) -> int:
    """Write the files that are out of date, or only name them with `--check`."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/generate_references.py [--check]", file=sys.stderr)
        return 2
    check = bool(arguments)
    # First the views: the code that the pages are about may import new ones.
    if update(_function(SOURCES)(), check):
        return 1 if check else subprocess.run([sys.executable, *sys.orig_argv[1:]], check=False).returncode
    return int(update(texts(), check) and check)


def update(files: Mapping[str, str], check: bool) -> bool:
    """Writes the files that are out of date, or names them with `check`; returns whether there are any."""
    paths = list_outdated(files)
    for path in paths:
        if check:
            print(f"{path} is out of date: run make docs", file=sys.stderr)
        else:
            (DOCS.parent / path).parent.mkdir(parents=True, exist_ok=True)
            (DOCS.parent / path).write_text(files[path])
            print(f"wrote {path}")
    return bool(paths)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
