"""How to run a reproducer: the flags without which its input cannot be read, or its passes not be found."""

from __future__ import annotations

import shlex

from mlc.tools.command_line import CommandLine

_VALUES = ("load-plugin", "irdl-file")
_SWITCHES = ("allow-unregistered-dialect", "no-implicit-module")


def rerun_flags(line: CommandLine) -> str:
    """The flags of `line` that a reproducer needs too, as a shell takes them."""
    words = [f"--{name}={value}" for name in _VALUES for value in line.values.get(name, [])]
    words += [f"--{name}" for name in _SWITCHES if line.switch(name)]
    return shlex.join(words)


def rerun_hint(path: str, flags: str) -> str:
    """The message of a reproducer that was written to `path`."""
    command = f"mlc-opt --run-reproducer {shlex.quote(path)} {flags}".rstrip()
    return f"mlc-opt: reproducer written to {path}; rerun with {command}"
