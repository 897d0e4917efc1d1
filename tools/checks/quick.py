"""`python -m mlc.tools.checks.quick`: runs the tests that changes since a revision can break, closest first.

`mlc.tools.checks.affected` says which those are. Lit takes the closest 60 tests, pytest the closest 80 files,
and pytest starts no test after a time limit. Tests that are marked slow are left out.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from mlc.tools.checks.affected import affected_tests

_MAIN_BRANCHES = ("main", "origin/main")
_LIT_TESTS = 60  # some 25 s on two cores; lit's --max-time limits the wait for one test, not the sum
_PYTEST_FILES = 80  # pytest imports all before it runs the first
_PYTEST_SECONDS = 40


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0 if all chosen tests passed, 1 if one failed, 2 if git does not know the revision."""
    parser = argparse.ArgumentParser(prog="quick", description=__doc__)
    parser.add_argument(
        "base", nargs="?", help="the revision; default: where this branch left main, or HEAD~ on main"
    )
    parser.add_argument(
        "--list", action="store_true", help="print the tests and their distances, and run none"
    )
    parser.add_argument("--jobs", default="auto", help="processes that run tests (default: one per core)")
    options = parser.parse_args(arguments)
    root = Path.cwd()
    try:
        base = options.base or default_base(root)
        changed = changed_files(root, base)
    except subprocess.CalledProcessError as error:
        print(f"quick: error: {error.stderr.strip()}", file=sys.stderr)
        return 2
    chosen = affected_tests(root, changed)
    if options.list:
        print("".join(f"{distance} {test}\n" for test, distance in chosen.items()), end="")
        return 0
    print(
        f"quick: {len(changed)} files changed since {base}, {len(chosen)} files of tests may be affected",
        flush=True,
    )
    commands = command_lines(list(chosen), options.jobs)
    statuses = [subprocess.run(command, check=False).returncode for command in commands]
    return int(any(statuses))


def default_base(root: Path) -> str:
    """Returns the commit where the branch left main, or `HEAD~` if HEAD is part of main.

    Raises `subprocess.CalledProcessError` outside of a git checkout.
    """
    head = _git(root, "rev-parse", "HEAD").strip()
    for branch in _MAIN_BRANCHES:
        if _git(root, "branch", "--all", "--list", branch, f"remotes/{branch}"):
            fork = _git(root, "merge-base", "HEAD", branch).strip()
            return "HEAD~" if fork == head else fork
    return "HEAD~"


def changed_files(root: Path, base: str) -> list[str]:
    """Returns the paths of the files that differ from revision `base`, deleted and untracked ones included.

    Raises `subprocess.CalledProcessError` if git does not know the revision.
    """
    tracked = _git(root, "diff", "--name-only", "--no-renames", "-z", base, "--")
    untracked = _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return sorted(set((tracked + untracked).split("\0")) - {""})


def command_lines(tests: Sequence[str], jobs: str) -> list[list[str]]:
    """Returns the command lines that run the first of the tests, in the order given."""
    lit = [test for test in tests if test.endswith(".mlir")][:_LIT_TESTS]
    python = [test for test in tests if test.endswith(".py")][:_PYTEST_FILES]
    commands = []
    if lit:
        workers = [] if jobs == "auto" else [f"-j{jobs}"]
        program = str(Path(sys.executable).with_name("lit"))
        commands.append([program, "-sv", *workers, *lit])
    if python:
        # In the order given, and with -rs a line that counts the tests that were skipped for the time limit.
        order = ["-n", jobs, "--dist=loadfile", "--no-loadscope-reorder"]
        limit = ["-p", "mlc.tools.checks.time_limit", f"--time-limit={_PYTEST_SECONDS}"]
        commands.append(
            [sys.executable, "-P", "-m", "pytest", "-q", "-rfEs", "-m", "not slow", *order, *limit, *python]
        )
    return commands


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main())
