"""Checks of what the test files rely on of each other."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent


def test_helper_modules_have_names_of_their_own() -> None:
    """Tests import the helpers of their folder by name alone, so two of one name would be confused; those of
    packages come by the package's name."""
    helpers = [
        path.name
        for path in HERE.rglob("*.py")
        if "Inputs" not in path.parts
        and not path.name.startswith(("test_", "conftest"))
        and not (path.parent / "__init__.py").exists()
    ]
    assert [name for name, count in Counter(helpers).items() if count > 1] == []
