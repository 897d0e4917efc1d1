"""The layering check holds, and fails where it should."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINT = Path(sysconfig.get_path("scripts"), "lint-imports")

# .ci/run tests the installed wheel away from the sources, whose layers it checks in place.
pytestmark = pytest.mark.skipif(not (ROOT / "mlc").is_dir(), reason="not beside the sources")


def _run_lint(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT, "--no-cache", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_layers_hold() -> None:
    done = _run_lint()
    assert done.returncode == 0, done.stdout


def test_wrong_import_fails(tmp_path: Path) -> None:
    config = tmp_path / "wrong.toml"
    config.write_text(
        '[tool.importlinter]\nroot_packages = ["mlc"]\n'
        '[[tool.importlinter.contracts]]\nname = "passes without bindings"\ntype = "forbidden"\n'
        'source_modules = ["mlc.passes"]\nforbidden_modules = ["mlc.bindings"]\n'
    )
    done = _run_lint("--config", str(config))
    assert done.returncode == 1
    assert "mlc.passes.base -> mlc.bindings" in done.stdout
