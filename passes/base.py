"""The base class of passes: a frozen dataclass with a name, an anchor, typed options and `run`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from mlc.bindings import ir
from mlc.bindings.diagnostics import Diagnostic
from mlc.errors import Error
from mlc.passes.options import OptionError, OptionInfo, option, option_infos, parse_options, print_options
from mlc.passes.statistics import count

__all__ = ["InvalidModelError", "OptionError", "Pass", "PassError", "option"]


class PassError(Error):
    """The failure of a pass: what is wrong in its input, where, and what would be right.

    `location` is that of the op. `notes` are `(message, location)` pairs, as notes of a diagnostic, or plain
    messages.
    """

    def __init__(
        self,
        message: str,
        location: ir.Location | None = None,
        notes: Sequence[str | tuple[str, ir.Location | None]] = (),
    ) -> None:
        self.message = message
        self.location = location
        self.notes = tuple((note, None) if isinstance(note, str) else note for note in notes)
        super().__init__(message)

    def diagnostic(self) -> Diagnostic:
        """Returns the failure as an error diagnostic with notes."""
        notes = tuple(Diagnostic("note", message, where or self.location) for message, where in self.notes)
        return Diagnostic("error", self.message, self.location, notes)

    def __str__(self) -> str:
        return str(self.diagnostic()) if self.location is not None else self.message


class InvalidModelError(PassError):
    """The failure of a pass at an op that no inputs of the model make valid; the message names the op's node.
    The compiler raises `ModelError`, which has its text after the name of the file."""


@dataclass(frozen=True)
class Pass:
    """Base of all passes. The docstring of a subclass is its `--help` text.

    Subclasses are frozen dataclasses that set `name` (kebab-case), declare options with `option(default,
    help=...)` and implement `run`.
    """

    name: ClassVar[str]
    # The op on which `run` is called: "builtin.module", "func.func", ... or "any".
    anchor: ClassVar[str] = "builtin.module"
    # The class of exactness: "exact", "rounding" (on by default) or "approximate" (on request).
    exactness: ClassVar[str] = "exact"

    def run(self, op: ir.Operation) -> bool | None:
        """Rewrites the IR inside `op`. Raises `PassError`.

        False informs the driver that nothing changed, so that it neither verifies nor prints the IR again;
        None leaves that open.
        """
        raise NotImplementedError(f"{type(self).__name__} has no run method")

    def count(self, name: str, amount: int = 1, help: str = "") -> None:
        """Adds to a statistic of this pass, which `--mlir-pass-statistics` prints."""
        count(name, amount, help)

    @classmethod
    def options(cls) -> tuple[OptionInfo, ...]:
        """Returns the typed options, in order."""
        return option_infos(cls)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Builds the pass with options from `a=1 b=x,y` (no braces). Raises `OptionError`."""
        return cls(**parse_options(text, cls.options()))

    def __str__(self) -> str:
        """Returns the pass in pipeline text, with all its options."""
        values = {info.name: getattr(self, info.field) for info in self.options()}
        return f"{self.name}{{{print_options(values)}}}" if values else self.name
