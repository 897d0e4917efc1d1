"""The texts of a source file that a reader reads: names, comments, docstrings, string literals and prose.

A `Text` maps every offset in it back to a line and a column of its file, so that a phrase that continues on
the next line of a comment or a docstring is found and reported where it begins.
"""

from __future__ import annotations

import ast
import bisect
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

NAME, COMMENT, DOCSTRING, STRING, PROSE = "name", "comment", "docstring", "string", "prose"


@dataclass
class Text:
    """A text of one of the categories above; `starts` has the offset, line and column of each piece."""

    category: str
    content: str = ""
    starts: list[tuple[int, int, int]] = field(default_factory=list)

    def add(self, content: str, line: int, column: int) -> None:
        """Appends a line of the file that continues this text; `column` counts from 1."""
        if self.starts:
            self.content += "\n"
        self.starts.append((len(self.content), line, column))
        self.content += content

    def position(self, offset: int) -> tuple[int, int]:
        """Returns the line and the column of the character at `offset`, both counted from 1."""
        index = bisect.bisect_right(self.starts, (offset, 1 << 60, 0)) - 1
        start, line, column = self.starts[index]
        return line, column + offset - start


def texts(path: Path, source: str) -> list[Text]:
    """Returns the texts of a file by its suffix; an empty list for suffixes that the check does not read."""
    match path.suffix:
        case ".py" | ".pyi":
            return list(python_texts(source))
        case ".c" | ".h":
            return list(_c_texts(source))
        case ".mlir":
            return list(_comments(source, "//", _LIT_DIRECTIVE))
        case ".md":
            return [_lines(PROSE, source.splitlines(), 1)]
        case _:
            return []


def python_texts(source: str) -> Iterator[Text]:
    """Yields the texts of Python source; of names only those that it binds, as uses follow definitions."""
    tree = ast.parse(source)
    yield from bound_names(tree, source.splitlines())
    documented = _docstring_positions(tree)
    yield from _tokens(source, documented)


def bound_names(tree: ast.AST, lines: list[str]) -> Iterator[Text]:
    """Yields the names that classes, functions, parameters, assignments and import aliases bind."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield _name(node.name, node.lineno, _column_of(node.name, lines[node.lineno - 1]))
            case ast.arg():
                yield _name(node.arg, node.lineno, node.col_offset + 1)
            case ast.Name(ctx=ast.Store()):
                yield _name(node.id, node.lineno, node.col_offset + 1)
            case ast.Attribute(ctx=ast.Store(), end_lineno=int(line), end_col_offset=int(end)):
                yield _name(node.attr, line, end - len(node.attr) + 1)
            case ast.alias(asname=str(alias)):
                yield _name(alias, node.lineno, node.col_offset + 1)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield _name(name, node.lineno, node.col_offset + 1)


def identifier_words(name: str) -> list[str]:
    """Splits snake_case, kebab-case, dotted and CamelCase names into lower-case words."""
    return [word.lower() for word in _WORD.findall(name)]


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LIT_DIRECTIVE = re.compile(r"\s*(RUN|REQUIRES|UNSUPPORTED|XFAIL|[A-Z0-9_]+(-[A-Z0-9_]+)*):|\s*expected-\w+")
_C_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|#\s*include[^\n]*", re.DOTALL
)
_C_DEFINITION = re.compile(
    r"(?:^|[(,]\s*)(?:(?:static|extern|inline|const|struct|unsigned)\s+)*"
    r"(?!(?:return|else|case|goto|sizeof)\b)[A-Za-z_]\w*[\s*]+$"
)
_REPLACEMENT_FIELD = re.compile(r"\{\{|\}\}|\{[^{}]*\}")


def _name(name: str, line: int, column: int) -> Text:
    return Text(NAME, name, [(0, line, column)])


def _column_of(name: str, line: str) -> int:
    match = re.search(rf"\b{re.escape(name)}\b", line)
    return match.start() + 1 if match else 1


def _docstring_positions(tree: ast.AST) -> set[tuple[int, int]]:
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return {
        (node.body[0].lineno, node.body[0].col_offset)
        for node in ast.walk(tree)
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None
    }


def _tokens(source: str, documented: set[tuple[int, int]]) -> Iterator[Text]:
    comment: Text | None = None
    end = (0, 0)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line, column = token.start
        if token.type == tokenize.COMMENT:
            if comment is None or end != (line - 1, column):
                if comment is not None:
                    yield comment
                comment = Text(COMMENT)
            comment.add(token.string[1:], line, column + 2)
            end = (line, column)
        elif token.type == tokenize.STRING:
            yield _string(token, DOCSTRING if token.start in documented else STRING)
    if comment is not None:
        yield comment


def _string(token: tokenize.TokenInfo, category: str) -> Text:
    prefix = re.match(r"\w*", token.string)[0].lower()  # type: ignore[index]
    content = token.string
    if "f" in prefix:
        content = _REPLACEMENT_FIELD.sub(lambda match: " " * len(match[0]), content)
    quotes = 3 if content[len(prefix) : len(prefix) + 3] in ('"""', "'''") else 1
    skipped = len(prefix) + quotes
    content = content[skipped:-quotes]
    lines = content.split("\n")
    text = Text(category)
    line, column = token.start
    text.add(lines[0], line, column + skipped + 1)
    for row, rest in enumerate(lines[1:], line + 1):
        text.add(rest, row, 1)
    return text


def _c_texts(source: str) -> Iterator[Text]:
    for match in _C_TOKEN.finditer(source):
        token = match[0]
        line = source.count("\n", 0, match.start()) + 1
        column = match.start() - source.rfind("\n", 0, match.start())
        if token.startswith(("//", "/*")):
            yield _block(COMMENT, token, line, column)
        elif token.startswith('"'):
            yield _block(STRING, token[1:-1], line, column + 1)
        elif _C_DEFINITION.search(_line_before(source, match.start())):
            yield _name(token, line, column)


def _line_before(source: str, offset: int) -> str:
    return source[source.rfind("\n", 0, offset) + 1 : offset].lstrip()


def _block(category: str, content: str, line: int, column: int) -> Text:
    text = Text(category)
    for row, piece in enumerate(content.split("\n")):
        text.add(piece, line + row, column if row == 0 else 1)
    return text


def _comments(source: str, opening: str, ignored: re.Pattern[str]) -> Iterator[Text]:
    text: Text | None = None
    for row, line in enumerate(source.splitlines(), 1):
        stripped = line.lstrip()
        content = stripped[len(opening) :]
        if not stripped.startswith(opening) or ignored.match(content):
            if text is not None:
                yield text
            text = None
            continue
        text = text or Text(COMMENT)
        text.add(content, row, len(line) - len(stripped) + len(opening) + 1)
    if text is not None:
        yield text


def _lines(category: str, lines: list[str], first: int) -> Text:
    text = Text(category)
    for row, line in enumerate(lines, first):
        text.add(line, row, 1)
    return text
