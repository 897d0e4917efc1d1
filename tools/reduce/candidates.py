"""Candidates made from text by parsing it in a child process, editing the IR and printing it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.tools.opt.parsing import InputOptions, make_context, parse
from mlc.tools.reduce.edits import STRATEGIES, ops_of
from mlc.tools.reduce.isolate import isolated
from mlc.tools.sources import Chunk, Source

_DIM = re.compile(r"(?<![\w.])(\d+)(?=x)|(?<=x)(\d+)(?=x)")


@dataclass(frozen=True)
class Workshop:
    """Makes candidates from the text of one chunk. Every method gives None where the IR cannot be had."""

    allow_unregistered: bool = False
    allow_invalid: bool = False

    def normal(self, text: str) -> str | None:
        """The text as the printer writes it."""
        return isolated(lambda: self._print(self._parse(text)))

    def ops(self, text: str) -> int | None:
        """The number of ops below the module."""
        return isolated(lambda: len(ops_of(self._parse(text))))

    def edits(self, text: str, strategy: str) -> int:
        """In how many places `strategy` may apply."""

        def count() -> int:
            module = self._parse(text)
            with module.context, ir.Location.unknown():
                return len(STRATEGIES[strategy](module))

        return isolated(count) or 0

    def edited(self, text: str, strategy: str, selected: set[int]) -> str | None:
        """The text after the edits numbered `selected`."""

        def edit() -> str:
            module = self._parse(text)
            with module.context, ir.Location.unknown():
                edits = STRATEGIES[strategy](module)
                for index in sorted(selected, reverse=True):
                    edits[index]()
            return self._print(module)

        return isolated(edit)

    def _parse(self, text: str) -> ir.Module:
        chunk = Chunk(Source("-", text), text.encode())
        options = InputOptions(allow_unregistered=self.allow_unregistered)
        context = make_context(options, chunk.raw, lambda diagnostic: None)
        module = parse(chunk, options, context, lambda diagnostic: None)
        assert isinstance(module, ir.Module)
        return module

    def _print(self, module: ir.Module) -> str:
        """Raises if the module does not verify and must."""
        if not self.allow_invalid:
            module.operation.verify()
            return f"{module}\n"
        return module.operation.get_asm(print_generic_op_form=True, assume_verified=True) + "\n"


def dims_of(text: str) -> list[int]:
    """The dims over 1 of the shapes in the text, largest first."""
    return sorted({int(match[0]) for match in _DIM.finditer(text)} - {0, 1}, reverse=True)


def with_dim(text: str, old: int, new: int) -> str:
    """The text with one dim replaced in every shape."""
    return _DIM.sub(lambda match: str(new) if int(match[0]) == old else match[0], text)
