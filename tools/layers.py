"""The layering check: `python -m mlc.tools.layers` runs import-linter over the repository.

import-linter wants one package folder, but the packages of mlc are folders at the top of the repository; it
gets a temporary folder of links to them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path


def check_layers(root: Path, config: Path) -> int:
    """Checks the packages under `root` against the contracts in `config`; import-linter's exit status."""
    with tempfile.TemporaryDirectory() as folder:
        link_packages(root, Path(folder))
        command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"]
        command += ["--config", str(config), "--no-cache"]
        environment = {**os.environ, "PYTHONPATH": folder}
        return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


def link_packages(root: Path, folder: Path) -> None:
    """Makes `folder/mlc`, with a link for each package that pyproject.toml maps."""
    mapping = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
    package = folder / "mlc"
    package.mkdir()
    for source in (root / mapping.pop("mlc")).glob("*.py"):
        (package / source.name).symlink_to(source)
    for name, source in mapping.items():
        (package / name.removeprefix("mlc.")).symlink_to(root / source)


if __name__ == "__main__":
    repository = Path(__file__).resolve().parent.parent
    sys.exit(check_layers(repository, repository / "pyproject.toml"))
