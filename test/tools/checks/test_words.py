"""The check of words finds each word of the glossary where people read it, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlc.tools.checks import words
from mlc.tools.checks.glossary import ALLOWED, ENTRIES
from mlc.tools.checks.page import page_with_tables

PAGE = "# Glossary\n\n<!-- words: begin -->\n<!-- words: end -->\n"


def found(source: str, path: str = "passes/a.py") -> list[tuple[int, int, str]]:
    """Returns line, column and text of each finding in `source`."""
    return [(finding.line, finding.column, finding.found) for finding in words.check_source(path, source)]


def found_texts(source: str, path: str = "passes/a.py") -> list[str]:
    """Returns the text of each finding in `source`."""
    return [finding.found for finding in words.check_source(path, source)]


def test_words_are_found_where_they_begin() -> None:
    source = '"""Moves the loop\nbehind another."""\n\n# What it does, in\n# front of all.\ntape = "a kind"\n'
    assert found(source) == [(2, 1, "behind"), (4, 17, "in front"), (6, 1, "tape"), (6, 11, "kind")]


@pytest.mark.parametrize(
    ("name", "words_found"),
    [
        ("first_place", 1),
        ("HostPlaces", 1),
        ("placeholder", 0),
        ("in_place", 0),
        ("number_of_rows", 0),
        ("line_number", 0),
        ("row_numbers", 1),
        ("own_programs", 1),
        ("replaced", 0),
    ],
)
def test_identifiers_are_split(name: str, words_found: int) -> None:
    assert len(found(f"{name} = 1\n")) == words_found


def test_names_are_reported_where_they_are_bound() -> None:
    assert found("import a\n\nx = a.kind\ny = x.place\n") == []
    assert found("def _(kind: int, *places: int) -> None:\n    self.number = 1\n") == [
        (1, 7, "kind"),
        (1, 19, "places"),
        (2, 10, "number"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The number of rows.",
        "Subnormal numbers are flushed to zero, and random numbers follow.",
        "Works in place.",
        "It takes place at the end.",
        "These cannot be told apart.",
        "`dtype.kind` of an array.",
        "The value lies between 0 and 1.",
        "The line number.",
    ],
)
def test_plain_senses_stay(text: str) -> None:
    assert found(text, "docs/a.md") == []


@pytest.mark.parametrize(
    "text",
    [
        "The places of elements.",
        "Adds two numbers.",
        "A vector of numbers of 16 bits.",
        "Sizes that only\na call tells.",
        "A copy is under\nway.",
        "What a schedule has told.",
        "Groups take turns.",
        "The second cache.",
        "Behind the loop.",
    ],
)
def test_the_projects_own_english_is_found(text: str) -> None:
    assert len(found(text, "docs/a.md")) == 1


def test_names_in_prose_are_searched_as_names() -> None:
    assert found_texts("Writes `graph.on_read` and host_places, then tloop.numbers.", "docs/a.md") == [
        "`graph.on_read`",
        "host_places",
        "tloop.numbers",
    ]


def test_replacement_fields_of_format_strings_are_code() -> None:
    assert found('x = f"{place} is {number!r} behind"\n') == [(1, 29, "behind")]


def test_module_names_count() -> None:
    assert found("", "passes/told_names.py") == [(1, 1, "told_names")]


def test_c_and_mlir() -> None:
    source = 'static int place(int kind);\n/* Behind\n   it. */\nreturn "a place";\n'
    assert found(source, "runtime/csrc/a.c") == [
        (1, 12, "place"),
        (1, 22, "kind"),
        (2, 4, "Behind"),
        (4, 11, "place"),
    ]
    source = "// RUN: mlc-opt --graph-kind\n// CHECK: place\n// Two are alike.\n%kind = graph.x\n"
    assert found(source, "test/a.mlir") == [(3, 12, "alike")]


def test_docstring_openings() -> None:
    source = '"""Of a block."""\n\ndef f():\n    """What it is."""\n\ndef g():\n    """the shape"""\n'
    assert [finding.rule for finding in words.check_source("passes/a.py", source)] == [
        "docstring opening",
        "docstring opening",
        "docstring sentence",
    ]
    assert found('"""Threads per block."""\n\ndef f():\n    """Whether `op` is dead."""\n') == []
    assert found('"""graph-simplify: removes ops."""\n\ndef f():\n    """In f32, returns x."""\n') == []


def test_each_and_participles() -> None:
    source = "def _narrowed(x):\n    return [each for each in x]\n"
    assert found_texts(source) == ["_narrowed()", "each"]
    source = "class A(B):\n    @property\n    def closed(self): ...\n    def embed(self): ...\n"
    assert found_texts(source) == []


def test_public_functions_without_docstring() -> None:
    source = "def a(): ...\ndef _b(): ...\nclass _C:\n    def d(self):\n        def e(): ...\n"
    source += "    @d.setter\n    def d(self, value): ...\nclass F(_C):\n    def d(self): ...\n"
    assert found_texts(source) == ["a()", "d()"]
    assert found_texts(source, "bench/a.py") == []
    assert found_texts('def a():\n    """Returns nothing."""\n') == []


def test_generated_pages_are_left_out() -> None:
    assert found("Numbers behind places.", "docs/passes.md") == []


def test_every_allowance_has_a_word_and_a_reason() -> None:
    listed = {entry.word for entry in ENTRIES}
    assert len(listed) == len(ENTRIES)
    assert all(allowed.word in listed and allowed.reason for allowed in ALLOWED)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a page and a file, in the current folder."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/glossary.md").write_text(page_with_tables(PAGE))
    (tmp_path / "a.py").write_text("place = 1\nindex = 2\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_paths_choose_files(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "b.py").write_text("tape = 1\n")
    assert words.main([]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" -> ")[0] for line in lines] == ["a.py:1:1: place", "b.py:1:1: tape"]
    assert words.main(["b.py"]) == 1 and capsys.readouterr().out.startswith("b.py:1:1: tape")
    assert words.main(["docs"]) == 0


def test_the_page_is_current_or_written(checkout: Path) -> None:
    page = checkout / "docs/glossary.md"
    page.write_text(PAGE)
    reported = list(words.check_checkout(checkout, ["docs/glossary.md"]))
    assert [(finding.path, finding.rule) for finding in reported] == [("docs/glossary.md", "glossary")]
    assert words.main(["--write"]) == 0
    assert list(words.check_checkout(checkout, ["docs/glossary.md"])) == []
