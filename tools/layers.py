"""The layering check: `python -P -m mlc.tools.layers` runs import-linter over the current checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mlc.tools.checkout import link_packages


def check_layers(root: Path, config: Path) -> int:
    """Checks the packages under `root` against the contracts in `config`; import-linter's exit status."""
    with tempfile.TemporaryDirectory() as folder:
        link_packages(root, Path(folder))
        command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"]
        command += ["--config", str(config), "--no-cache"]
        environment = {**os.environ, "PYTHONPATH": folder}
        environment.pop("PYTHONSAFEPATH", None)
        return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(check_layers(Path.cwd(), Path.cwd() / "pyproject.toml"))
