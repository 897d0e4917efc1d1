"""The exception of the runtime."""

from mlc.errors import Error


class ExecutableError(Error):
    """A compiled model cannot be read, written, loaded or built; names the file or device and the cause."""
