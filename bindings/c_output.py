"""What C++ writes to the process's standard error, which Python's own streams do not see."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_STDERR = 2


@contextmanager
def capture_c_stderr() -> Iterator[list[str]]:
    """Keeps what is written to file descriptor 2 inside the `with` block; afterwards the list holds it.

    What Python writes there meanwhile is kept as well.
    """
    captured: list[str] = []
    sys.stderr.flush()
    before = os.dup(_STDERR)
    with os.fdopen(os.memfd_create("stderr"), "rb") as file:
        os.dup2(file.fileno(), _STDERR)
        try:
            yield captured
        finally:
            sys.stderr.flush()
            os.dup2(before, _STDERR)
            os.close(before)
            file.seek(0)
            captured.append(file.read().decode(errors="replace"))
