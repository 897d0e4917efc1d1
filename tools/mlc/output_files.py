"""Writing files whole or not at all."""

from __future__ import annotations

from mlc.tools.sources import write_output


def write_file(path: str, data: str | bytes) -> None:
    """Writes `data` to `path`, "-" being stdout. Raises OSError that names the path."""
    try:
        write_output(path, data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, path if path != "-" else error.filename) from error
