"""Makes interpreters for engines whose packages conflict with those of others.

Makes a virtual environment per engine under build/environments, from the pinned packages that the engine's
file lists (inline script metadata, PEP 723); without names, for every engine that lists some.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

from bench import engines

FOLDER = Path(__file__).parents[1] / "build" / "environments"
# The reference expression of PEP 723, for the one type that it defines.
_METADATA = re.compile(r"(?m)^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$")


def requirements(engine: str) -> list[str]:
    """Returns the packages that the engine's file lists; none if the harness's own interpreter runs it."""
    match = _METADATA.search(engines.source(engine).read_text())
    if match is None:
        return []
    lines = match["content"].splitlines()
    return list(tomllib.loads("\n".join(line.removeprefix("#").strip() for line in lines))["dependencies"])


def python(engine: str, folder: Path = FOLDER) -> str | None:
    """Returns the interpreter of the engine's environment, if it has been made."""
    found = folder / engine / "bin" / "python"
    return str(found) if found.is_file() else None


def make(engine: str, folder: Path = FOLDER) -> None:
    """Makes the engine's environment from scratch. Raises subprocess.CalledProcessError if pip fails."""
    target = folder / engine
    venv.create(target, clear=True, with_pip=True)
    command = [
        str(target / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--quiet",
    ]
    try:
        subprocess.run([*command, *requirements(engine)], check=True)
    except BaseException:
        # An incomplete environment would look like a usable one.
        shutil.rmtree(target)
        raise


def main() -> int:
    """Runs the command line; returns the exit status."""
    listed = [name for name in engines.names() if requirements(name)]
    parser = argparse.ArgumentParser(prog="python -m bench.environments", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ENGINE", help=f"of {', '.join(listed)}")
    parser.add_argument("--force", action="store_true", help="make also those that are there already")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.names) - set(listed)):
        parser.error(f"no environment for {', '.join(unknown)}; there are: {', '.join(listed)}")
    failed = []
    for name in arguments.names or listed:
        if python(name) and not arguments.force:
            print(f"{name}: {FOLDER / name} is there")
            continue
        try:
            make(name)
            print(f"{name}: made {FOLDER / name}", flush=True)
        except subprocess.CalledProcessError as error:
            print(f"{name}: pip ended with status {error.returncode}", file=sys.stderr)
            failed.append(name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
