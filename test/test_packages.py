"""The links that give the folders at the top of the repository their import names."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# .ci/run tests the installed wheel away from the sources.
pytestmark = pytest.mark.skipif(not (ROOT / "mlc").is_dir(), reason="not beside the sources")


def test_every_package_is_linked() -> None:
    beside = {"test", "bench", "docs", "examples"}
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")} - beside - {"mlc"}
    links = {path.name: path.readlink() for path in (ROOT / "mlc").iterdir() if path.is_symlink()}
    assert links == {name: Path("..", name) for name in folders}
