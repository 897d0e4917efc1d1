"""The error of the runtime."""


class ExecutableError(Exception):
    """A compiled model that cannot be read, written, loaded or built. The message names place and cause."""
