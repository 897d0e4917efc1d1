"""Types of options and arguments that refuse values which no command can use."""

from __future__ import annotations

import math
from typing import Any

import click


class FilePath(click.Path):
    """A path that is not empty, as a variable of a shell that nobody has set is."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the path. Fails for an empty one."""
        if not value:
            self.fail("the path is empty", param, ctx)
        return super().convert(value, param, ctx)


class FiniteRange(click.FloatRange):
    """A float within bounds that is neither NaN nor infinite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Returns the value. Fails for others."""
        found: float = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is not finite", param, ctx)
        return found
