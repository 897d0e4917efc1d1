"""The command `mlc cache`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from mlc.tools.mlc.option_types import FilePath
from mlc.tools.mlc.session import CommandSession, output_options
from mlc.tools.mlc.text_tables import byte_size, table


@click.command("cache", short_help="Show or empty the compile cache.")
@click.argument("action", type=click.Choice(["info", "clear"]), default="info")
@click.option("--cache-dir", type=FilePath(file_okay=False), metavar="DIR", help="Its folder.")
@output_options
def cache_command(session: CommandSession, action: str, cache_dir: str | None) -> None:
    """Show the compile cache on disk, or empty it (compilations may be running).

    It is in $MLC_CACHE_DIR, or in mlc below $XDG_CACHE_HOME or ~/.cache. $MLC_CACHE_SIZE (say 500M)
    bounds it.
    """
    from mlc.codegen.cache import default_root, default_size

    root = Path(cache_dir) if cache_dir else default_root()
    count, size = usage(root)
    data: dict[str, Any] = {
        "action": action,
        "folder": str(root),
        "entries": count,
        "bytes": size,
        "bound_bytes": default_size(),
    }
    if action == "clear":
        for path in entries(root):
            with suppress(FileNotFoundError):
                path.unlink()
    rows = [
        ["folder", str(root)],
        ["removed" if action == "clear" else "entries", f"{count} ({byte_size(size)})"],
        ["bound", byte_size(data["bound_bytes"])],
    ]
    session.show(data, lambda console: console.print(table(("", ""), rows)))


def entries(root: Path) -> list[Path]:
    """Returns the files of the entries; none if there is no cache yet."""
    return [path for path in (root / "entries").glob("??/*") if path.is_file()]


def usage(root: Path) -> tuple[int, int]:
    """Returns the number of entries and their bytes."""
    count = size = 0
    for path in entries(root):
        with suppress(OSError):
            size += path.stat().st_size
            count += 1
    return count, size
