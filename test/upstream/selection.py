"""Selects upstream's tests that need only mlir-opt: no other tool, no pass or dialect made for tests."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TOOLS = frozenset(
    "mlir-opt FileCheck not count split-file diff cat echo rm mkdir cp mv ls touch sed grep head tail sort "
    "wc tee true cd env export cmp test".split()
)
# Folders whose configuration turns them off: they need hardware or examples that are built.
_OFF = ("Integration/", "Examples/")
_SUBSTITUTIONS = re.compile(r"%(s:[a-z]+|basename_t|[sSpTt])(?![\w])|%\{[^}]*\}|%%")
_DIRECTIVE = re.compile(r"\b(?:RUN|RE?DEFINE|DEFINE):(.*)$")
_SEPARATORS = re.compile(r"[|&;]+")
_PASS_LITERAL = re.compile(r'"((?:[\w-]+-)?test-[\w-]+)"')
_ATTRIBUTE_LITERAL = re.compile(r'"(test\.\w+)"')
_OTHER_INPUT = re.compile(r"%[Sp]/([\w./-]+\.mlirbc)")
_DIALECT_NAME = re.compile(r'(?:let name = |getDialectNamespace\(\)[^"]*)"(\w+)"')
_DEFINED_OP = re.compile(r'^def \w+\s*:\s*\w+<(?:\w+,\s*)?\s*"([\w.]+)"', re.MULTILINE)
_QUOTED_OP = re.compile(r'"(\w+)\.([\w.]+)"\s*\(')


@dataclass(frozen=True)
class TestLibraries:
    """Definitions in upstream's test libraries: pass names, dialects, and the names of ops in them.

    `attributes` are those that a dialect verifies.
    """

    passes: frozenset[str]
    dialects: frozenset[str]
    ops: frozenset[str]
    attributes: frozenset[str]


@dataclass(frozen=True)
class Rejection:
    """The reason why a test is not one of those that count."""

    test: str
    reason: str


def test_libraries(tests: Path) -> TestLibraries:
    """Reads the sources of the test libraries under `tests`/lib."""
    passes, dialects = {"slice-analysis-test", "affine-super-vectorizer-test"}, {"test"}
    ops, attributes = set[str](), set[str]()
    for path in sorted((tests / "lib").rglob("*")):
        if path.suffix not in (".cpp", ".h", ".td"):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        passes.update(_PASS_LITERAL.findall(text))
        if path.name == "TestDialect.cpp":
            attributes.update(_ATTRIBUTE_LITERAL.findall(text))
        dialects.update(_DIALECT_NAME.findall(text))
        ops.update(_DEFINED_OP.findall(text))
    return TestLibraries(*map(frozenset, (passes, dialects, ops, attributes)))


def select(tests: Path) -> tuple[list[str], list[Rejection]]:
    """The tests under `tests` that count, relative to it, and those with an mlir-opt that do not."""
    libraries = test_libraries(tests)
    selected, rejected = [], []
    for path in sorted(tests.rglob("*")):
        if not path.is_file() or path.suffix not in (".mlir", ".test") or "Inputs" in path.parts:
            continue
        name = str(path.relative_to(tests))
        text = path.read_text(encoding="utf-8", errors="replace")
        script = list(_script(text))
        text += "".join(_other_inputs(script, path.parent))
        if name.startswith("lib/") or not any("mlir-opt" in line for line in script):
            continue
        reason = "is off by default" if name.startswith(_OFF) else _reason(script, text, libraries)
        if reason:
            rejected.append(Rejection(name, reason))
        else:
            selected.append(name)
    return selected, rejected


def _script(text: str) -> Iterator[str]:
    """The commands of a test, with continued lines joined."""
    waiting = ""
    for line in text.splitlines():
        if found := _DIRECTIVE.search(line):
            waiting += found[1].strip()
            if waiting.endswith("\\"):
                waiting = waiting[:-1] + " "
                continue
            yield waiting
            waiting = ""


def _other_inputs(script: list[str], folder: Path) -> Iterator[str]:
    """Bytecode that the commands read, which holds the names of its dialects."""
    for name in _OTHER_INPUT.findall("\n".join(script)):
        if (folder / name).is_file():
            yield (folder / name).read_bytes().decode("latin-1")


def _reason(script: list[str], text: str, libraries: TestLibraries) -> str:
    joined = "\n".join(script)
    if others := {tool for line in script for tool in _tools(line)} - _TOOLS:
        return f"runs {', '.join(sorted(others))}"
    if "%" in _SUBSTITUTIONS.sub("", joined):
        return "uses substitutions of a build tree"
    if re.search(r"-load-(pass|dialect)-plugin", joined):
        return "loads a plugin"
    named = re.findall(r"[\w-]+", re.sub(r"(?<![\w-])--?", "", joined)) + re.findall(r'"([\w-]+)"', text)
    if libraries.passes & set(named):
        return "runs a pass made for tests"
    return "uses a dialect made for tests" if _uses_test_dialect(script, text, libraries) else ""


def _tools(line: str) -> Iterator[str]:
    """The programs of a command line, without those that only start another."""
    if re.match(r"%\{[\w:-]+\}\s*=", line):
        line = line.partition("=")[2]
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:
        yield "a command line that cannot be read"
        return
    first, redirected = True, False
    for word in words:
        if _SEPARATORS.fullmatch(word):
            first = True
        elif first and not (word in ("not", "env") or word.startswith(("-", "%{")) or "=" in word):
            yield (Path(word).name if re.fullmatch(r"[\w./+%-]+", word) else "what its text does not show")
            first = redirected
        first = first and not (word.startswith("%{"))


def _uses_test_dialect(script: list[str], text: str, libraries: TestLibraries) -> bool:
    """Whether the test needs a registered dialect of the test libraries.

    Quoted ops that the libraries do not define are ops of nobody where all commands allow those.
    """
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
    code += "\n" + "\n".join(script)
    names = "|".join(sorted(libraries.dialects))
    if re.search(rf"[!#](?:{names})\.|\btransform\.test|\b(?:{names}): *\{{|\0(?:{names})\0", code):
        return True
    if any(name in code for name in libraries.attributes):
        return True
    if re.search(rf"^\s*(?:[%\w:, ]+=\s*)?(?:{names})\.\w|[(,]\s*(?:{names})\.\w+\(", code, re.MULTILINE):
        return True
    unregistered = all("-allow-unregistered-dialect" in line for line in script if "mlir-opt" in line)
    quoted = [op for dialect, op in _QUOTED_OP.findall(code) if dialect in libraries.dialects]
    return any(op in libraries.ops or not unregistered for op in quoted)
