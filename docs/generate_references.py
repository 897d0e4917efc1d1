"""Writes the reference pages under docs/ from the code's own descriptions.

`make docs` or `python docs/generate_references.py` writes them, `--check` fails where one on disk is out of
date. A reference is a function without arguments that returns a page's text, and one line in REFERENCES;
those in OF_REPOSITORY are given the repository's folder, of which they read more than the code.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent


# Page -> "module:function".
REFERENCES = {
    "dialects/accel.md": "mlc.tools.references.dialects:accel",
    "dialects/graph.md": "mlc.dialects.graph.reference_page:reference",
    "dialects/tloop.md": "mlc.tools.references.dialects:tloop",
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


def text(name: str) -> str:
    """The page as the code says it now."""
    module, _, function = REFERENCES[name].partition(":")
    given = [DOCS.parent] if name in OF_REPOSITORY else []
    page: str = getattr(importlib.import_module(module), function)(*given)
    return page.rstrip("\n") + "\n"


def outdated() -> list[str]:
    """The pages whose file differs from what the code says, or is missing."""
    return [name for name in REFERENCES if _read(DOCS / name) != text(name)]


def _read(path: Path) -> str | None:
    return path.read_text() if path.exists() else None


def main(arguments: list[str]) -> int:
    """Write the pages that are out of date, or only name them with `--check`."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/generate_references.py [--check]", file=sys.stderr)
        return 2
    names = outdated()
    for name in names:
        if arguments:
            print(f"docs/{name} is out of date: run make docs", file=sys.stderr)
        else:
            (DOCS / name).parent.mkdir(parents=True, exist_ok=True)
            (DOCS / name).write_text(text(name))
            print(f"wrote docs/{name}")
    return int(bool(arguments and names))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
