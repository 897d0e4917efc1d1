"""The source of a kernel's function as a syntax tree, with locations for messages."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from mlc.kernels.errors import KernelError, SourceLocation, caller_frame


@dataclass(frozen=True)
class KernelSource:
    """A function's tree; `line` and `column` are the offsets of the tree in its file."""

    function: FunctionType
    tree: ast.FunctionDef
    line: int
    column: int

    def location_of(self, node: ast.AST) -> SourceLocation:
        """Returns the location of `node` in the file."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return SourceLocation(self.function.__code__.co_filename, self.line + line, self.column + column + 1)


def python_function(function: object) -> FunctionType:
    """Returns a function that is written in Python. Raises KernelError for other objects."""
    if not isinstance(function, FunctionType):
        raise KernelError(f"expected a function written with def, not a {type(function).__name__}")
    return function


def source_of(function: FunctionType) -> KernelSource:
    """Reads the function's source. Raises KernelError where there is none, as in a shell."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise KernelError(
            f"the source of '{function.__name__}' is not there; kernels with loops are written in a file"
        ) from None
    text = textwrap.dedent("".join(lines))
    try:
        tree = ast.parse(text).body[0]
    except SyntaxError:
        tree = None
    if not isinstance(tree, ast.FunctionDef):
        raise KernelError(f"'{function.__name__}' is no separate function: write it with def")
    indent = len(lines[0]) - len(lines[0].lstrip())
    return KernelSource(function, tree, first - 1, indent)


def visible_names(function: FunctionType) -> dict[str, Any]:
    """Returns the names in scope of the function's source: globals, the enclosing function's names,
    closure."""
    frame = caller_frame()
    local: Mapping[str, Any] = frame.f_locals if frame.f_globals is function.__globals__ else {}
    closure = inspect.getclosurevars(function).nonlocals
    return {**function.__globals__, **local, **closure}
