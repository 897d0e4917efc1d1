"""Counts files per folder: `python -P -m mlc.tools.checks.folders [--rev REVISION] [--top N]`.

Files are those of Python and C directly in a folder; tests are left out. With a revision the table
has its counts beside those of the files on disk.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from mlc.tools.checks.checkout import files, is_test


def files_per_folder(paths: Iterable[str]) -> Counter[str]:
    """Returns how many of the files are in each folder."""
    return Counter(str(PurePath(path).parent) for path in paths if not is_test(path))


def report(now: Counter[str], before: Counter[str] | None, top: int) -> Iterator[str]:
    """Lines of a table: the `top` folders with the most files, now or before."""
    most = now if before is None else now | before
    largest = sorted(most, key=lambda folder: (-most[folder], folder))
    for folder in largest[:top]:
        counts = f"{now[folder]:8}" if before is None else f"{before[folder]:8}{now[folder]:8}"
        yield f"{folder:44}{counts}"


def main() -> None:
    """Prints the table of the checkout in the current folder."""
    parser = argparse.ArgumentParser(description="Counts the .py and .c files in each folder, without tests.")
    parser.add_argument("--rev", default="", help="a git revision to compare with")
    parser.add_argument("--top", type=int, default=25, help="how many folders to list (default 25)")
    arguments = parser.parse_args()
    suffixes = (".py", ".c")
    now = files_per_folder(files(Path.cwd(), suffixes))
    before = files_per_folder(files(Path.cwd(), suffixes, arguments.rev)) if arguments.rev else None
    print(f"{'folder':44}" + (f"{'files':>8}" if before is None else f"{'before':>8}{'now':>8}"))
    for line in report(now, before, arguments.top):
        print(line)


if __name__ == "__main__":
    main()
