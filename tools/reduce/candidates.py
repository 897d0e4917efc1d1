"""Candidates made from text by parsing it in a child process, editing the IR and printing it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mlc.bindings import ir
from mlc.tools.parsing import InputOptions, make_context, parse
from mlc.tools.reduce.child_process import run_isolated
from mlc.tools.reduce.edits import ops_of
from mlc.tools.reduce.strategies import STRATEGIES
from mlc.tools.sources import Chunk, InputSource

_OPS = "ops"
_DIM = re.compile(r"(?<![\w.])(\d+)(?=x)|(?<=x)(\d+)(?=x)")


@dataclass(frozen=True)
class Workshop:
    """Makes candidates from the text of one chunk. Every method returns None for text that does not parse."""

    allow_unregistered: bool = False
    # Print the generic form with locations, for tests that need them and ops that the custom form loses.
    generic: bool = False
    # By the text's hash: the texts themselves may be large.
    _counts: dict[int, dict[str, int]] = field(default_factory=dict)

    def normal(self, text: str | bytes) -> str | None:
        """Returns the text, or bytecode, as the printer writes it."""
        return run_isolated(lambda: self._print(self._parse(text)))

    def ops(self, text: str) -> int | None:
        """Returns the number of ops below the module."""
        return self._edit_counts(text).get(_OPS)

    def edits(self, text: str, strategy: str) -> int:
        """Returns the number of edits that `strategy` offers."""
        return self._edit_counts(text).get(strategy, 0)

    def _edit_counts(self, text: str) -> dict[str, int]:
        """Returns the number of ops and of each strategy's edits; empty for text that does not parse."""

        def count() -> dict[str, int]:
            """Counts in the child process."""
            module = self._parse(text)
            with module.context, ir.Location.unknown():
                counts = {name: len(strategy(module)) for name, strategy in STRATEGIES.items()}
                return {**counts, _OPS: len(ops_of(module))}

        if hash(text) not in self._counts:
            self._counts[hash(text)] = run_isolated(count) or {}
        return self._counts[hash(text)]

    def apply_edits(self, text: str, strategy: str, selected: set[int]) -> str | None:
        """Returns the text after the edits whose indices are `selected`."""

        def edit() -> str:
            """Edits in the child process."""
            module = self._parse(text)
            with module.context, ir.Location.unknown():
                edits = STRATEGIES[strategy](module)
                for index in sorted(selected, reverse=True):
                    edits[index]()
            return self._print(module)

        return run_isolated(edit)

    def _parse(self, text: str | bytes) -> ir.Module:
        chunk = (
            Chunk(InputSource("-", text), text.encode())
            if isinstance(text, str)
            else Chunk(InputSource("-", ""), text)
        )
        options = InputOptions(allow_unregistered=self.allow_unregistered)
        context = make_context(options, chunk.raw, lambda diagnostic: None)
        module = parse(chunk, options, context, lambda diagnostic: None)
        assert isinstance(module, ir.Module)
        return module

    def _print(self, module: ir.Module) -> str:
        """Prints a module. Raises if it does not verify."""
        module.operation.verify()
        if not self.generic:
            return f"{module}\n"
        return module.operation.get_asm(enable_debug_info=True, print_generic_op_form=True) + "\n"


def dims_of(text: str) -> list[int]:
    """Returns the extents over 1 of the shapes in the text, largest first."""
    return sorted({int(match[0]) for match in _DIM.finditer(text)} - {0, 1}, reverse=True)


def with_dim(text: str, old: int, new: int) -> str:
    """Returns the text with one extent replaced in every shape."""
    return _DIM.sub(lambda match: str(new) if int(match[0]) == old else match[0], text)
