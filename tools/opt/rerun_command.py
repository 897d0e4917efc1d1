"""The command that runs a reproducer, with the flags that its input and its passes need."""

from __future__ import annotations

import shlex

from mlc.tools.command_line import CommandLine

_VALUES = ("load-plugin", "irdl-file")
_SWITCHES = ("allow-unregistered-dialect", "no-implicit-module")


def rerun_flags(line: CommandLine) -> str:
    """Returns the flags of `line` that a reproducer needs too, quoted for a shell."""
    words = [f"--{name}={value}" for name in _VALUES for value in line.values.get(name, [])]
    words += [f"--{name}" for name in _SWITCHES if line.switch(name)]
    return shlex.join(words)


def rerun_hint(path: str, flags: str) -> str:
    """Returns the message for a reproducer that was written to `path`."""
    command = f"mlc-opt --run-reproducer {shlex.quote(path)} {flags}".rstrip()
    return f"mlc-opt: reproducer written to {path}; rerun with {command}"
