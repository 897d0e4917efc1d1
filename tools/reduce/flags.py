"""The flags of mlc-reduce."""

from __future__ import annotations

from mlc.tools.command_line import Flag
from mlc.tools.flags import ALLOW_UNREGISTERED, HELP, OUTPUT, TRACEBACK, VERSION

FLAGS = (
    HELP,
    VERSION,
    OUTPUT,
    Flag("test", "program that is called with a candidate's path; interesting if it exits with 0", "program"),
    Flag("test-arg", "argument of --test, before the path", "argument", repeated=True),
    Flag("test-command", "command instead of --test; %s is the candidate, else it comes last", "command"),
    Flag("expect-exit", "interesting is this exit status (mlir-reduce's scripts: 1)", "status"),
    Flag("expect-stderr", "interesting is a match in what the test writes to stderr", "regex"),
    Flag("expect-crash", "interesting is an end by a signal, or a tool of mlc that reports one"),
    Flag("expect-hang", "interesting is a run that takes longer than --timeout"),
    Flag("timeout", "seconds that a test may run; 0 for ever (default 60)", "seconds"),
    Flag("jobs", "tests that run at the same time (default 1)", "count"),
    Flag("max-tests", "stop after this many tests; 0 for no limit (default)", "count"),
    ALLOW_UNREGISTERED,
    Flag("text", "reduce lines and words only, whatever the input is"),
    TRACEBACK,
)
