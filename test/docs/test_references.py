"""The generated reference pages are those that the code describes."""

import importlib.util
from pathlib import Path

_PATH = Path(__file__).parents[2] / "docs" / "generate_references.py"


def test_references_are_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("generate_references", _PATH)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.outdated() == [], "run make docs"
