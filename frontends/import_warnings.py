"""Warnings about models that are imported although they are not quite right."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from mlc.frontends.errors import printable

_log = logging.getLogger("mlc.frontends")


@dataclass
class ImportWarnings:
    """The warnings about one model, each of which is logged once unless they are `quiet`. A text begins with
    the file."""

    quiet: bool = False
    texts: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Adds a warning, unless it has been added before."""
        text = printable(text)
        if text in self.texts:
            return
        self.texts.append(text)
        if not self.quiet:
            _log.warning("%s", text)
