"""Counts ops that are read by position and by string: `python -P -m mlc.tools.checks.op_access [--rev REV]`.

Per folder at the top of the repository, without tests and generated files: `operands[2]`, `results[0]`,
`attributes["axis"]`, `graph.attribute(op, "axis")`, and names of ops as literals ("graph.conv"). Views read
them by name (docs/reading-ops.md).
"""

from __future__ import annotations

import argparse
import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from mlc.bindings.wheel_ops import op_names
from mlc.tools.checks.checkout import files, is_generated, is_test, top_folder

COLUMNS = ("operands[i]", "results[i]", 'attributes["x"]', 'attribute(op, "x")', '"dialect.op"')


def known_ops() -> frozenset[str]:
    """The names of all ops: those of the wheel's Python, and ours."""
    from mlc.dialects import accel, graph, tloop
    from mlc.dialects.graph.views import __all__ as graph_views

    ours = {
        name
        for module, names in (
            (accel, accel.views.__all__),
            (graph, graph_views),
            (tloop, tloop.views.__all__),
        )
        for view in names
        for name in getattr(module, view).NAMES
    }
    return op_names() | ours


def accesses(source: str, ops: frozenset[str]) -> Iterator[str]:
    """The column of each access in a file's text."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Attribute(attr="operands" | "results" as values), slice=index) if (
                _is_position(index)
            ):
                yield f"{values}[i]"
            case ast.Subscript(value=ast.Attribute(attr="attributes"), slice=ast.Constant(str())):
                yield COLUMNS[2]
            case ast.Call(
                func=ast.Attribute(attr="attribute") | ast.Name("attribute"), args=[_, ast.Constant(str())]
            ):
                yield COLUMNS[3]
            case ast.Constant(str(text)) if text in ops:
                yield COLUMNS[4]


def _is_position(index: ast.expr) -> bool:
    """Whether `index` is an integer, perhaps negative."""
    literal = index.operand if isinstance(index, ast.UnaryOp) else index
    return isinstance(literal, ast.Constant) and isinstance(literal.value, int)


def count(texts: Mapping[str, str]) -> dict[str, Counter[str]]:
    """Returns the accesses by column, by top-level folder. Tests and generated files are left out."""
    ops, counts = known_ops(), dict[str, Counter[str]]()
    for path, text in texts.items():
        if not is_test(path) and not is_generated(text):
            counts.setdefault(top_folder(path), Counter()).update(accesses(text, ops))
    return {folder: counter for folder, counter in sorted(counts.items()) if counter}


def table(counts: dict[str, Counter[str]]) -> str:
    """The counts as text, with a row of totals."""
    total = sum(counts.values(), Counter[str]())
    rows: list[tuple[str, ...]] = [("folder", *COLUMNS, "all")]
    for folder, counter in [*counts.items(), ("total", total)]:
        rows.append((folder, *(str(counter[column]) for column in COLUMNS), str(counter.total())))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for first, *others in rows:
        cells = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        lines.append("  ".join([first.ljust(widths[0]), *cells]))
    return "\n".join(lines)


def main() -> None:
    """Prints the table of the checkout in the current folder."""
    parser = argparse.ArgumentParser(description="Counts ops that are read by position and by string.")
    parser.add_argument("--rev", default="", help="count at a git revision instead of the files on disk")
    print(table(count(files(Path.cwd(), (".py",), parser.parse_args().rev))))


if __name__ == "__main__":
    main()
