"""The pictures of docs/ are those of their texts, and the README's table is that of the page of results."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_pictures", ROOT / "docs/generate_pictures.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_pictures_are_current(script: ModuleType) -> None:
    assert script.main(["--check"]) == 0, "run make docs"


def test_a_picture_of_another_text_is_outdated(script: ModuleType, tmp_path: Path) -> None:
    source = tmp_path / "a.dot"
    source.write_text("digraph a {}")
    assert script.list_outdated(tmp_path) == [source]
    source.with_suffix(".svg").write_text(script.mark(source.read_text()))
    assert script.list_outdated(tmp_path) == []
    source.write_text("digraph b {}")
    assert script.list_outdated(tmp_path) == [source]


def test_the_table_of_the_readme_is_that_of_the_results(script: ModuleType) -> None:
    one, two = script.read_ratios((ROOT / "docs/results-zen5.md").read_text())
    assert len(one) == len(two) == 20
    rows = re.findall(r"\| (\w+) \|.* \| ([\d.]+) \| ([\d.]+) \|", (ROOT / "README.md").read_text())
    assert len(rows) == 12
    for model, first, second in rows:
        assert (float(first), float(second)) == (one[model].median, two[model].median), model
