"""`python -P -m mlc.tools.same_code`: compiles, and compares with the recorded hashes."""

from __future__ import annotations

import os
import sys
import time
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from mlc.tools.same_code.record import differences, read_record, write_record
from mlc.tools.same_code.run import Run
from mlc.tools.same_code.subjects import subjects, write_weights

RECORDED, CHANGES = "recorded.txt", "changes.md"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--quick", is_flag=True, help="Compile the quick subset.")
@click.option("--only", "patterns", multiple=True, metavar="PATTERN", help="Compile subjects of this name.")
@click.option("--target", "targets", multiple=True, metavar="TARGET", help="Compile for this target.")
@click.option("--record", is_flag=True, help="Replace the recorded hashes by today's; needs --reason.")
@click.option("--reason", metavar="TEXT", help="Why code changed, and that it is not slower.")
@click.option("--keep", type=click.Path(path_type=Path), metavar="DIR", help="Write the normalised texts.")
@click.option("--jobs", type=int, default=0, help="Processes (default: one per core).")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path("test/same_code"),
    show_default=True,
    help="The folder with graphs, the recorded hashes and the reasons of changes.",
)
def main(
    quick: bool,
    patterns: tuple[str, ...],
    targets: tuple[str, ...],
    record: bool,
    reason: str | None,
    keep: Path | None,
    jobs: int,
    folder: Path,
) -> None:
    """Compile models and graphs for processors and GPUs, and compare IR and code with recorded hashes.

    Ends with "same", or lists what differs and exits with 1.
    """
    path = folder / RECORDED
    old = read_record(path)
    if record and old.subjects and not reason:
        raise click.UsageError("--record needs --reason: why code changed, and that it is not slower")
    # The model set is no part of the package.
    root = folder.resolve().parent.parent
    chosen = [
        (subject, target)
        for subject in subjects(folder, quick)
        for target in subject.targets
        if any(fnmatch(subject.name, pattern) for pattern in patterns or ("*",))
        if target in (targets or subject.targets)
    ]
    start = time.perf_counter()
    with TemporaryDirectory(prefix="same-code-") as scratch:
        write_weights(Path(scratch))
        run = Run(Path(scratch), root, keep)
        run.compile(chosen, jobs or len(os.sched_getaffinity(0)))
    new = run.record
    count = f"{len(new.subjects)} subjects by target, {len(new.kernels)} kernels by target"
    print(f"{count}, {time.perf_counter() - start:.0f} s")
    found = list(differences(old, new, run.names, run.messages))
    print("\n".join(found) if found else "same")
    if record:
        write_record(path, old.update(new, keep_others=quick or bool(patterns) or bool(targets)))
        if old.subjects and found:
            _append_reason(folder / CHANGES, reason or "", found)
    elif found:
        sys.exit(1)


def _append_reason(path: Path, reason: str, found: list[str]) -> None:
    shown = "".join(f"  - {line}\n" for line in found[:20])
    more = f"  - and {len(found) - 20} more\n" if len(found) > 20 else ""
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n- {reason}\n{shown}{more}")


if __name__ == "__main__":
    main()
