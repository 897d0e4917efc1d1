"""The system's C compiler, which links shared libraries."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence

from mlc.runtime.errors import ExecutableError


def run_c_compiler(
    arguments: Sequence[str], what: str, cc: str = "cc", folder: str | os.PathLike[str] | None = None
) -> None:
    """Runs `cc`, a command that may include arguments, in `folder`.

    Raises ExecutableError, whose message begins with `what`, if it cannot be run, and with its output if it
    fails.
    """
    command = [*shlex.split(cc), *arguments]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    except OSError as error:
        raise ExecutableError(f"{what} cannot run the C compiler '{cc}': {error.strerror}") from error
    if done.returncode != 0:
        output = (done.stderr + done.stdout).decode(errors="replace").strip()
        raise ExecutableError(f"{what} the C compiler failed: {shlex.join(command)}\n{output}")
