"""Checks of Python files beside words: what docstrings begin with, and names of functions and variables."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mlc.tools.checks.findings import Finding
from mlc.tools.checks.glossary import NOT_PARTICIPLES, PARTICIPLES

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
Function = ast.FunctionDef | ast.AsyncFunctionDef

OPENING, SENTENCE, MISSING = "docstring opening", "docstring sentence", "docstring missing"
EACH, PARTICIPLE = "each", "bare participle"
# Folders whose functions need no docstrings.
_PROGRAMS = ("test/", "bench/", "examples/", "docs/")


def style_of(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Yields faults of docstrings and names of one file."""
    if not path.startswith(_PROGRAMS):
        yield from _missing_docstrings(path, tree)
    for node in ast.walk(tree):
        if isinstance(node, Documented):
            yield from _docstring(path, node)
        if isinstance(node, Function):
            yield from _function_name(path, node)
        if _binds_each(node):
            yield Finding(path, node.lineno, node.col_offset + 1, EACH, "each", "the name of what it is")  # type: ignore[attr-defined]


def _missing_docstrings(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Yields public functions without a docstring, and such methods, but for those that may override one."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and not node.bases]
    for node in [*tree.body, *(node for owner in classes for node in owner.body)]:
        if not isinstance(node, Function) or node.name.startswith("_") or ast.get_docstring(node):
            continue
        if not any(ast.unparse(decorator).endswith(".setter") for decorator in node.decorator_list):
            yield Finding(path, node.lineno, node.col_offset + 1, MISSING, f"{node.name}()", "a docstring")


_NO_SENTENCE = re.compile(r"(?:Of|What|Which|How|Where|When|Who|Why|Those|That|Not)\b(?! if\b)")
_PREPOSITION = re.compile(r"(?:As|By|In|With|Without|To|From|On|Along|Into)\b[^,]*$")
_START = re.compile(r"[A-Z0-9`\"'(\[{@#<]|[a-z]\w*(?:-\w+)+:|mlc\b|[a-z][\w.]*\(")


def _docstring(path: str, node: Documented) -> Iterator[Finding]:
    text = ast.get_docstring(node)
    if not text:
        return
    literal = node.body[0]
    first = " ".join(text.split("\n\n")[0].split())
    sentence = re.split(r"(?<=[.;:]) ", first)[0]
    opening = " ".join(first.split()[:4])
    at = (path, literal.lineno, literal.col_offset + 1)
    if _NO_SENTENCE.match(first) or _PREPOSITION.match(sentence):
        yield Finding(
            *at, OPENING, f'"{opening} ..."', "a full sentence that begins with a verb or with the thing"
        )
    elif not _START.match(first):
        yield Finding(*at, SENTENCE, f'"{opening} ..."', "an upper-case word first, or code in backquotes")
    elif not first.endswith((".", ":", "?", "!", "`", '"')):
        yield Finding(*at, SENTENCE, f'"{opening} ..."', "a period at the end of the first paragraph")


def _function_name(path: str, node: Function) -> Iterator[Finding]:
    name = node.name.strip("_")
    if node.name.startswith("__") or name in NOT_PARTICIPLES or _is_value(node):
        return
    if name in PARTICIPLES or re.fullmatch(r"[a-z]+ed", name):
        yield Finding(
            path, node.lineno, node.col_offset + 5, PARTICIPLE, f"{node.name}()", "a verb, is_... or a noun"
        )


def _is_value(node: Function) -> bool:
    """Whether callers see a value, not a function: a property or a fixture."""
    names = {ast.unparse(decorator).partition("(")[0].rpartition(".")[2] for decorator in node.decorator_list}
    return bool(names & {"property", "cached_property", "setter", "fixture"})


def _binds_each(node: ast.AST) -> bool:
    match node:
        case ast.Name(id="each", ctx=ast.Store()) | ast.arg(arg="each"):
            return True
        case _:
            return False
