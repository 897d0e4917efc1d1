"""The packages of a checkout as one folder `mlc`, for tools that do not know pyproject.toml's package-dir.

The packages of mlc are folders at the top of the repository; import-linter and mypy want them inside one.
"""

from __future__ import annotations

import tomllib
from pathlib import Path


def link_packages(root: Path, folder: Path) -> None:
    """Makes `folder/mlc`, with a link for each package that pyproject.toml under `root` maps."""
    mapping = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
    package = folder / "mlc"
    package.mkdir()
    for source in (root / mapping.pop("mlc")).glob("*.py"):
        (package / source.name).symlink_to(source)
    for name, source in mapping.items():
        (package / name.removeprefix("mlc.")).symlink_to(root / source)
