"""The layering check holds, and fails where it should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from mlc.tools.checkout import link_packages
from mlc.tools.layers import check_layers

ROOT = Path(__file__).resolve().parent.parent

# .ci/run tests the installed wheel away from the sources, whose layers it checks where they lie.
pytestmark = pytest.mark.skipif(not (ROOT / "mlc").is_dir(), reason="not beside the sources")


def test_layers_hold() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "mlc.tools.layers"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_package_is_linked(tmp_path: Path) -> None:
    link_packages(ROOT, tmp_path)
    folders = {path.name for path in (tmp_path / "mlc").iterdir() if path.is_dir()}
    assert {"bindings", "dialects", "passes", "pipelines", "runtime", "tools"} <= folders


def test_wrong_import_fails(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "wrong.toml"
    config.write_text(
        '[tool.importlinter]\nroot_packages = ["mlc"]\n'
        '[[tool.importlinter.contracts]]\nname = "passes without bindings"\ntype = "forbidden"\n'
        'source_modules = ["mlc.passes"]\nforbidden_modules = ["mlc.bindings"]\n'
    )
    assert check_layers(ROOT, config) == 1
    assert "mlc.passes.base -> mlc.bindings" in capfd.readouterr().out
