"""The type check: `python -P -m mlc.tools.type_check` runs mypy over the current checkout."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from mlc.tools.checkout import link_packages

# Folders that hold Python files and are no part of the package.
BESIDE = ("bench", "docs", "examples", "test")


def check_types(root: Path) -> int:
    """Runs mypy on the Python files under `root`, and prints its messages; its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        link_packages(root, Path(folder))
        for name in BESIDE:
            Path(folder, name).symlink_to(root / name)
        command = [sys.executable, "-m", "mypy", "--config-file", str(root / "pyproject.toml")]
        command += ["--cache-dir", str(root / ".mypy_cache"), "--explicit-package-bases"]
        command += _files(Path(folder))
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    # Files as they lie under `root`.
    print(re.sub(r"^mlc/(?!\w+\.py:)", "", done.stdout, flags=re.MULTILINE), end="")
    return done.returncode


def _files(folder: Path) -> list[str]:
    """The Python files of the package and beside it, relative to `folder`, which links to their folders."""
    links = [*(folder / "mlc").iterdir(), *(folder / name for name in BESIDE)]
    files = [link for link in links if link.is_file()]
    files += [path for link in links if link.is_dir() for path in sorted(link.rglob("*.py"))]
    return [str(path.relative_to(folder)) for path in files]


if __name__ == "__main__":
    sys.exit(check_types(Path.cwd()))
