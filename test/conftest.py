"""What holds for all tests."""

import signal

# A shell that starts a job in the background, as some CI systems do, has it ignore Ctrl-C. The processes that
# tests start would inherit that; those that test Ctrl-C need the usual handler.
signal.signal(signal.SIGINT, signal.default_int_handler)
