"""Prints every rewrite of a Python pattern."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TextIO

from mlc.bindings import ir
from mlc.passes.base import PassError
from mlc.passes.common.rewrite_trace import Rewrite, RewriteTracer
from mlc.passes.common.rewriting import trace_patterns
from mlc.pipelines.instrumentation.base import Instrumentation
from mlc.pipelines.plan import PassStep


@dataclass
class RewritePrinting(Instrumentation):
    """Prints the rewrites of the patterns in whose names `names` is found."""

    stream: TextIO
    names: re.Pattern[str]
    _running: list[ExitStack] = field(default_factory=list)

    def before(self, step: PassStep, op: ir.Operation) -> None:
        stack = ExitStack()
        stack.enter_context(trace_patterns(RewriteTracer(lambda rewrite: self._print(step, rewrite))))
        self._running.append(stack)

    def after(self, step: PassStep, op: ir.Operation) -> None:
        self._running.pop().close()

    def on_failure(self, step: PassStep, op: ir.Operation, error: PassError) -> None:
        self.after(step, op)

    def _print(self, step: PassStep, rewrite: Rewrite) -> None:
        if not self.names.search(rewrite.pattern):
            return
        lines = [
            f"{rewrite.location}: rewrite: {step.name}: {rewrite.pattern}",
            *_mark_lines("-", rewrite.before),
        ]
        for text in rewrite.after:
            lines += _mark_lines("+", text)
        if rewrite.values:
            lines.append(f"  = {', '.join(rewrite.values)}")
        self.stream.write("\n".join(lines) + "\n")
        self.stream.flush()


def _mark_lines(mark: str, text: str) -> list[str]:
    return [f"  {mark} {line}" for line in text.splitlines()]
