"""Measures at positions of a pipeline: several runs, several ops, failures."""

from __future__ import annotations

import pytest

from mlc.bindings import create_context, parse_module
from mlc.pipelines.driver import run_pipeline
from mlc.pipelines.instrumentation.positions import Positions
from mlc.pipelines.pass_error import PassRunError

TEXT = "func.func @f() { return }\nfunc.func @g() { return }\nmodule { func.func @h() { return } }"


class Counts(Positions[list[str]]):
    """Notes each begin and each end."""

    def new(self) -> list[str]:
        return []

    def begin(self, measure: list[str]) -> None:
        measure.append("begin")

    def end(self, measure: list[str]) -> None:
        measure.append("end")

    def rows(self) -> list[tuple[int, str, int]]:
        """Returns depth, name and count of runs of each position; begins and ends alternate."""
        assert all(
            position.measure == ["begin", "end"] * (len(position.measure) // 2)
            for _, position in self.root.walk()
        )
        return [(depth, position.name, len(position.measure) // 2) for depth, position in self.root.walk()]


def test_equal_passes_at_several_positions() -> None:
    counts = Counts()
    for _ in range(2):
        pipeline = "builtin.module(cse,func.func(cse,cse),cse,builtin.module(func.func(cse)),gpu.module(cse))"
        run_pipeline(pipeline, parse_module(TEXT, create_context()), counts)
    assert counts.rows() == [
        (0, "CSEPass", 2),
        (0, "'func.func' Pipeline", 4),
        (1, "CSEPass", 4),
        (1, "CSEPass", 4),
        (0, "CSEPass", 2),
        (0, "'builtin.module' Pipeline", 2),
        (1, "'func.func' Pipeline", 2),
        (2, "CSEPass", 2),
    ]


def test_failures_end_what_they_began() -> None:
    counts = Counts()
    for _ in range(2):
        with pytest.raises(PassRunError, match="cannot be translated"):
            pipeline = "builtin.module(builtin.module(cse,llvm-verify-translatable,cse))"
            run_pipeline(pipeline, parse_module(TEXT, create_context()), counts)
    assert counts.rows() == [
        (0, "'builtin.module' Pipeline", 2),
        (1, "CSEPass", 2),
        (1, "VerifyTranslatable", 2),
    ]
