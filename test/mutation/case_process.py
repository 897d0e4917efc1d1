"""Runs a case in a separate process, forked from one that has everything imported."""

from __future__ import annotations

import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mutation_cases import Case
from mutation_seeds import INPUT

Main = Callable[[list[str]], int]

LIMIT = 10.0  # seconds for a case
STEP_LIMIT = 8  # seconds for a step of the tool, which ends it itself
_MEMORY = 4 << 30
_FILE_SIZE = 64 << 20


@dataclass(frozen=True)
class Outcome:
    """The wait status of a case, None if it was killed after `LIMIT`, and its output."""

    status: int | None
    output: bytes
    messages: str
    seconds: float

    @property
    def exit_status(self) -> int | None:
        """The exit status, unless it was killed."""
        ended = self.status is not None and os.WIFEXITED(self.status)
        return os.WEXITSTATUS(self.status) if ended and self.status is not None else None


def run_case(case: Case, main: Main, limit: float = LIMIT) -> Outcome:
    """Runs `main` on the arguments of `case` in an empty folder that holds only its input."""
    outside = Path(tempfile.mkdtemp(prefix="mlc-mutation-"))
    try:
        folder = outside / "folder"
        folder.mkdir()
        (folder / INPUT).write_bytes(case.data)
        return _run(case.arguments, main, folder, limit)
    finally:
        shutil.rmtree(outside, ignore_errors=True)


def _run(arguments: Sequence[str], main: Main, folder: Path, limit: float) -> Outcome:
    out, err = folder.with_name("stdout"), folder.with_name("stderr")
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        _child(list(arguments), main, folder, out, err)
    status = _wait(child, limit)
    seconds = time.monotonic() - began
    return Outcome(status, out.read_bytes(), err.read_text(errors="replace"), seconds)


def _wait(child: int, limit: float) -> int | None:
    handle = os.pidfd_open(child)
    try:
        ended, _, _ = select.select([handle], [], [], limit)
        if not ended:
            os.killpg(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        return status if ended else None
    finally:
        os.close(handle)


def _child(arguments: list[str], main: Main, folder: Path, out: Path, err: Path) -> None:
    """Never returns. What the tool is to handle itself goes through as it would from a shell."""
    status = 1
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _redirect(folder, out, err)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_SIZE, _FILE_SIZE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        status = main(arguments)
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _redirect(folder: Path, out: Path, err: Path) -> None:
    os.chdir(folder)
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    for path, flags, descriptor in (
        (folder / INPUT, os.O_RDONLY, 0),
        (out, os.O_WRONLY | os.O_CREAT, 1),
        (err, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 2),
    ):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdin = os.fdopen(0)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", errors="backslashreplace")
