"""Prints IR before and after passes, to a stream or to files in a tree of folders, as mlir-opt does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TextIO

from mlc.bindings import ir, outermost_op, parent_op
from mlc.bindings.operations import address
from mlc.passes.base import PassError
from mlc.pipelines.instrumentation.base import Instrumentation, describe_op, symbol_name
from mlc.pipelines.output_file import write_file
from mlc.pipelines.plan import PassPlan, PassStep


class Sink(Protocol):
    """A destination of dumps."""

    def __call__(self, step: PassStep, op: ir.Operation, text: str) -> None:
        """Writes the dump of `step` on `op`."""


@dataclass(frozen=True)
class StreamSink:
    """Writes all dumps to one stream."""

    stream: TextIO = sys.stderr

    def __call__(self, step: PassStep, op: ir.Operation, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


@dataclass
class FolderSink:
    """Writes one file per dump under `root`: a folder per op, and files `0_1_cse.mlir`.

    The prefix counts the dumps of the ops around the op, then of the op itself. Raises `OSError`.
    """

    root: Path
    _dumps: dict[int, int] = field(default_factory=dict)

    def __call__(self, step: PassStep, op: ir.Operation, text: str) -> None:
        self._dumps[address(op)] = self._dumps.get(address(op), -1) + 1
        folder, counts = self.root, []
        for parent in reversed(_with_parents(op)):
            folder /= _folder_name(parent)
            counts.append(str(self._dumps.setdefault(address(parent), 0)))
        folder.mkdir(parents=True, exist_ok=True)
        write_file(folder / f"{'_'.join(counts)}_{step.name}.mlir", text)


def _with_parents(op: ir.Operation) -> list[ir.Operation]:
    found, parent = [op], parent_op(op)
    while parent is not None:
        found.append(parent)
        parent = parent_op(parent)
    return found


def _folder_name(op: ir.Operation) -> str:
    symbol = symbol_name(op) or "no-symbol-name"
    return f"{op.name.replace('.', '_')}_{symbol}".replace("/", "_").replace("\\", "_")


@dataclass
class IRPrinting(Instrumentation):
    """Prints IR before and after the passes named in `before_passes` and `after_passes`.

    `printer` turns an op into text; its second argument is whether the op is known to be valid.
    `after_failure` prints after the passes that fail, whichever they are, and after no other.
    `new_sink` makes the sink for the dumps of one run of a pipeline.
    """

    printer: Callable[[ir.Operation, bool], str]
    new_sink: Callable[[], Sink] = StreamSink
    before_passes: Container[str] = ()
    after_passes: Container[str] = ()
    after_failure: bool = False
    only_changes: bool = False
    module_scope: bool = False
    verified: bool = True
    _texts: list[str | None] = field(default_factory=list)
    _sink: Sink | None = None
    _depth: int = 0
    # The texts of ops since the IR last changed, by address: printing takes longer than most passes.
    _known: dict[int, str] = field(default_factory=dict)

    def enter(self, plan: PassPlan, op: ir.Operation) -> None:
        if self._depth == 0:
            self._sink = self.new_sink()
        self._depth += 1

    def leave(self, plan: PassPlan, op: ir.Operation) -> None:
        self._depth -= 1

    def before(self, step: PassStep, op: ir.Operation) -> None:
        compared = self.only_changes and step.name in self.after_passes
        self._texts.append(self._text(op) if compared else None)
        if step.name in self.before_passes:
            self._print("Before", step, op)

    def after(self, step: PassStep, op: ir.Operation) -> None:
        self._known.clear()
        self.on_unchanged(step, op)

    def on_unchanged(self, step: PassStep, op: ir.Operation) -> None:
        text = self._texts.pop()
        if self.after_failure or step.name not in self.after_passes:
            return
        if text is None or text != self._text(op):
            self._print("After", step, op)

    def on_failure(self, step: PassStep, op: ir.Operation, error: PassError) -> None:
        self._known.clear()
        self._texts.pop()
        if self.after_failure or step.name in self.after_passes:
            self._print("After", step, op, " Failed", verified=False)

    def _print(
        self, when: str, step: PassStep, op: ir.Operation, suffix: str = "", *, verified: bool = True
    ) -> None:
        assert self._sink is not None
        scope = f" ({describe_op(op)})" if self.module_scope else ""
        shown = outermost_op(op) if self.module_scope else op
        header = f"// -----// IR Dump {when} {step.title}{suffix}: {step.text}{scope} //----- //"
        text = self._text(shown) if verified else self.printer(shown, False)
        self._sink(step, op, f"{header}\n{text}\n\n")

    def _text(self, op: ir.Operation) -> str:
        key = address(op)
        if key not in self._known:
            self._known[key] = self.printer(op, self.verified)
        return self._known[key]


class _All:
    def __contains__(self, name: object) -> bool:
        return True


# For `before_passes` and `after_passes`.
ALL_PASSES: Container[str] = _All()
