"""Checks of what the test files rely on of each other."""

from __future__ import annotations

import subprocess
import sys
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


def test_lit_finds_all_tests() -> None:
    """Folders are left out of lit by their names, wherever they are."""
    command = [sys.executable, "-P", "-c", "import lit.main; lit.main.main()", "--show-tests", str(HERE)]
    shown = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True).stdout
    found = {line.partition(" :: ")[2] for line in shown.splitlines() if " :: " in line}
    texts = (path for path in HERE.rglob("*.mlir") if not {"Inputs", "same_code"} & set(path.parts))
    assert found == {path.relative_to(HERE.parent).as_posix() for path in texts}
