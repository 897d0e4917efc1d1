"""Writes the reference pages under docs/ from the code's own descriptions.

`python docs/generate_references.py` writes them, `--check` fails where one on disk is out of date. A
reference is a function without arguments that returns a page's text, and one line in REFERENCES.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

DOCS = Path(__file__).resolve().parent


def graph_dialect() -> str:
    """Every op of the graph dialect."""
    from mlc.dialects.graph.reference import reference

    return reference()


REFERENCES: dict[str, Callable[[], str]] = {
    "dialects/graph.md": graph_dialect,
}


def outdated() -> list[str]:
    """The pages whose file differs from what the code says, or is missing."""
    pages = {name: DOCS / name for name in REFERENCES}
    return [
        name for name, path in pages.items() if not path.exists() or path.read_text() != REFERENCES[name]()
    ]


def main(arguments: list[str]) -> int:
    """Write the pages that are out of date, or only name them with `--check`."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/generate_references.py [--check]", file=sys.stderr)
        return 2
    names = outdated()
    for name in names:
        if arguments:
            print(f"docs/{name} is out of date: run python docs/generate_references.py", file=sys.stderr)
        else:
            (DOCS / name).parent.mkdir(parents=True, exist_ok=True)
            (DOCS / name).write_text(REFERENCES[name]())
            print(f"wrote docs/{name}")
    return int(bool(arguments and names))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
