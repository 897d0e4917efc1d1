"""Formats tables, sizes and durations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None) -> Table:
    """Returns a table without frames. A column whose name begins with '>' is aligned to the right."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, show_header=any(columns), title=title, title_justify="left")
    for name in columns:
        made.add_column(
            name.removeprefix(">"), justify="right" if name.startswith(">") else "left", overflow="fold"
        )
    for row in rows:
        made.add_row(*row)
    return made


def byte_size(count: float) -> str:
    """Returns a size as text, 12.3 MB, in powers of ten."""
    for unit in ("B", "kB", "MB"):
        if abs(count) < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def duration(seconds: float) -> str:
    """Returns a duration as text with three figures: 1.23 s, 4.56 ms or 7.89 us."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def tensor_text(dtype: str, shape: Sequence[int | None]) -> str:
    """Returns a tensor type as text, float32[1,3,224,224]; "?" for a dim that is None."""
    return f"{dtype}[{','.join('?' if dim is None else str(dim) for dim in shape)}]"
