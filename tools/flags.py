"""The flags that several tools with LLVM's command-line style share."""

from __future__ import annotations

from mlc.tools.command_line import Flag

HELP = Flag("help", "show this help")
VERSION = Flag("version", "show versions")
OUTPUT = Flag("o", "write the result to a file instead of stdout", "file")

TRACEBACK = Flag("mlc-traceback", "print the traceback when Python code raises")
GUARD_FLAGS = (
    TRACEBACK,
    Flag(
        "mlc-isolate",
        "work in a child process that may crash (default true); false for debuggers",
        "bool",
        optional=True,
    ),
    Flag(
        "mlc-step-timeout", "seconds that a step, e.g. a pass, may take; 0 for ever (default 60)", "seconds"
    ),
)

SPLIT_INPUT_FILE = Flag(
    "split-input-file",
    "process the chunks between lines of the marker one by one",
    "marker",
    optional=True,
)
OUTPUT_SPLIT_MARKER = Flag("output-split-marker", "the marker between chunks in the output", "marker")
ALLOW_UNREGISTERED = Flag("allow-unregistered-dialect", "accept ops of dialects that nobody registered")
NO_IMPLICIT_MODULE = Flag(
    "no-implicit-module", "do not wrap the input in a module: it is a single op, of any name"
)

VERIFY_DIAGNOSTICS = Flag(
    "verify-diagnostics",
    "check diagnostics against expected-* comments; all (default) or only-expected",
    "level",
    optional=True,
)
COLOR = Flag("color", "color diagnostics (default: on terminals)", "bool", optional=True)
