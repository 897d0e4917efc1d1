"""The driver: nesting, mixing, verification, failures, reproducers."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

from mlc.bindings import Diagnostic, create_context, ir, parse_module, run_upstream
from mlc.passes import registry
from mlc.passes.base import Pass, PassError, option
from mlc.pipelines import named
from mlc.pipelines.driver import run_pipeline
from mlc.pipelines.grammar import PipelineError, parse_pipeline
from mlc.pipelines.instrumentation import (
    ALL_PASSES,
    Instrumentation,
    Instrumentations,
    IRPrinting,
    Timing,
    describe_op,
)
from mlc.pipelines.instrumentation.ir_printing import StreamSink
from mlc.pipelines.pass_error import PassRunError
from mlc.pipelines.plan import PassStep, resolve
from mlc.pipelines.reproducer import read_reproducer

TEXT = "func.func @f(%a: i32) {\n  return\n}\nfunc.func @g() { return }"


@dataclass(frozen=True)
class OnFunction(Pass):
    """Calls `action`."""

    name = "test-on-function"
    anchor = "func.func"
    action: str = option("pass", help="what to do")

    def run(self, op: ir.Operation) -> bool | None:
        return ACTIONS[self.action](op)


@dataclass(frozen=True)
class OnModule(OnFunction):
    """Calls `action`."""

    name = "test-on-module"
    anchor = "builtin.module"


def fail(op: ir.Operation) -> None:
    raise PassError("no", op.location, notes=[("because", op.location), "and"])


def fail_without_location(op: ir.Operation) -> None:
    raise PassError("nowhere")


def invalidate(op: ir.Operation) -> None:
    op.regions[0].blocks[0].operations[-1].erase()


def crash(op: ir.Operation) -> None:
    raise ZeroDivisionError("division by zero")


def build(op: ir.Operation) -> None:
    op.attributes["test.built"] = ir.UnitAttr.get()  # needs the current context that the driver sets


def upstream(op: ir.Operation) -> None:
    run_upstream("builtin.module(one-shot-bufferize)", op)


def hide(op: ir.Operation) -> bool:
    invalidate(op)
    return False


ACTIONS: dict[str, Callable[[ir.Operation], bool | None]] = {
    "hide": hide,
    "nothing": lambda op: False,
    "pass": lambda op: None,
    "fail": fail,
    "fail-without-location": fail_without_location,
    "invalidate": invalidate,
    "crash": crash,
    "build": build,
    "upstream": upstream,
}


class Log(Instrumentation):
    """Records its calls."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def before(self, step: PassStep, op: ir.Operation) -> None:
        self.lines.append(f"before {step.name} {describe_op(op)}")

    def after(self, step: PassStep, op: ir.Operation) -> None:
        self.lines.append(f"after {step.name}")

    def on_failure(self, step: PassStep, op: ir.Operation, error: PassError) -> None:
        self.lines.append(f"failed {step.name}: {error.message}")

    def diagnostic(self, diagnostic: Diagnostic) -> None:
        self.lines.append(f"{diagnostic.severity}: {diagnostic.message}")


@pytest.fixture(autouse=True)
def passes() -> Iterator[None]:
    with patch.dict(registry._TABLE), patch.dict(named._PIPELINES):
        for cls in (OnFunction, OnModule):
            registry.register(cls.name, cls)
        yield


def parse(text: str = TEXT) -> ir.Module:
    return parse_module(text, create_context(allow_unregistered_dialects=True), "t.mlir")


def test_each_op_goes_through_a_nest_before_the_next() -> None:
    log = Log()
    run_pipeline("builtin.module(func.func(test-on-function,cse),symbol-dce)", parse(), log)
    functions = [
        line
        for name in "fg"
        for line in (
            f"before test-on-function 'func.func' operation: @{name}",
            "after test-on-function",
            f"before cse 'func.func' operation: @{name}",
            "after cse",
        )
    ]
    assert log.lines == [*functions, "before symbol-dce 'builtin.module' operation", "after symbol-dce"]


class Unchanged(Log):
    """Also writes down what passes say they left alone."""

    def on_unchanged(self, step: PassStep, op: ir.Operation) -> None:
        self.lines.append(f"unchanged {step.name}")


def test_unchanged_ops_are_distinguished_from_changed_ones() -> None:
    log = Unchanged()
    run_pipeline("builtin.module(test-on-module{action=nothing},test-on-module{action=pass})", parse(), log)
    assert [line for line in log.lines if "before" not in line] == [
        "unchanged test-on-module",
        "after test-on-module",
    ]


def test_those_who_do_not_ask_hear_of_every_pass() -> None:
    log = Log()
    run_pipeline("builtin.module(test-on-module{action=nothing})", parse(), log)
    assert log.lines[-1] == "after test-on-module"


def test_what_a_pass_left_alone_is_not_verified_again() -> None:
    # As upstream: who says that nothing changed is believed.
    run_pipeline("builtin.module(func.func(test-on-function{action=hide}))", parse())


class Prints(list[str]):
    """A printer, with what it printed."""

    def __call__(self, op: ir.Operation, verified: bool) -> str:
        self.append(op.name)
        return op.name


def test_ir_is_printed_again_only_after_a_change() -> None:
    prints, dumps = Prints(), io.StringIO()
    printing = IRPrinting(prints, lambda: StreamSink(dumps), ALL_PASSES, ALL_PASSES)
    nothing, something = "test-on-module{action=nothing}", "test-on-module{action=build}"
    run_pipeline(f"builtin.module({nothing},{nothing},{something},{nothing})", parse(), printing)
    assert len(prints) == 2
    assert dumps.getvalue().count("IR Dump Before") == dumps.getvalue().count("IR Dump After") == 4


def test_implicit_nesting_merges() -> None:
    plan = resolve(parse_pipeline("builtin.module(test-on-function,affine-loop-unroll,func.func(cse),cse)"))
    assert str(plan) == "builtin.module(func.func(test-on-function{action=pass},affine-loop-unroll,cse),cse)"


def test_named_pipelines_expand_and_nest() -> None:
    named.register_pipeline("test-inner", ["cse", "func.func(test-on-function)"])
    named.register_pipeline("test-outer", ["test-inner", "symbol-dce"])
    plan = resolve(parse_pipeline("builtin.module(test-outer)"))
    assert str(plan) == "builtin.module(cse,func.func(test-on-function{action=pass}),symbol-dce)"


def test_named_pipeline_in_itself() -> None:
    named.register_pipeline("test-loop", ["test-loop"])
    with pytest.raises(PipelineError, match="contains itself"):
        run_pipeline("builtin.module(test-loop)", parse())


@pytest.mark.parametrize("name", named.pipeline_names())
def test_our_named_pipelines_resolve(name: str) -> None:
    resolve(parse_pipeline(f"builtin.module({name})"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("builtin.module(test-on-functio)", "did you mean 'test-on-function'"),
        ("builtin.module(func.func(test-on-module))", "runs on 'builtin.module', not on 'func.func'"),
        ("builtin.module(func.func(gpu-kernel-outlining))", "runs on 'builtin.module', not on 'func.func'"),
        ("func.func(cse)", "a pipeline on 'func.func' cannot run on 'builtin.module'"),
        ("builtin.module(canonicalize{nothing=1})", "no such option nothing.*top-down=true"),
        ("builtin.module(graph-optimize{x=1})", "has no options"),
    ],
)
def test_mistakes_are_found_before_anything_runs(text: str, message: str) -> None:
    log = Log()
    with pytest.raises(PipelineError, match=message):
        run_pipeline(text.replace("(", "(test-on-module,", 1) if text.startswith("b") else text, parse(), log)
    assert log.lines == []


def test_python_pass_has_context_and_location() -> None:
    module = parse()
    run_pipeline("builtin.module(test-on-module{action=build})", module)
    assert "test.built" in module.operation.attributes


def test_failure_names_pass_op_and_location() -> None:
    log = Log()
    with pytest.raises(PassRunError) as caught:
        run_pipeline("builtin.module(test-on-function{action=fail})", parse(), log)
    error = caught.value
    assert str(error).splitlines() == [
        "t.mlir:1:1: error: pass 'test-on-function' failed on 'func.func' operation: @f: no",
        "t.mlir:1:1: note: because",
        "t.mlir:1:1: note: and",
    ]
    assert (error.pass_name, error.op_text) == ("test-on-function", "'func.func' operation: @f")
    assert log.lines[1:] == ["error: no", f"failed test-on-function: {error.message}"]


def test_failure_without_location_gets_that_of_the_op() -> None:
    with pytest.raises(PassRunError, match=r"^t\.mlir:1:1: error: .*nowhere"):
        run_pipeline("builtin.module(test-on-function{action=fail-without-location})", parse())


def test_invalid_ir_is_blamed_on_the_pass(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PassRunError, match=r"pass 'test-on-function' failed on .*@f: .*terminator"):
        run_pipeline("builtin.module(test-on-function{action=invalidate})", parse())
    run_pipeline("builtin.module(test-on-function{action=invalidate})", parse(), verify_each=False)
    assert capfd.readouterr().err == ""


def test_exceptions_become_failures() -> None:
    with pytest.raises(PassRunError, match="raised ZeroDivisionError: division by zero") as caught:
        run_pipeline("builtin.module(test-on-function{action=crash})", parse())
    assert caught.value.crashed
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("text", ["one-shot-bufferize", "test-on-module{action=upstream}"])
def test_upstream_failures_keep_their_diagnostics(text: str) -> None:
    log = Log()
    module = parse('func.func @f() {\n  %0 = "a.b"() : () -> tensor<2xf32>\n  return\n}')
    with pytest.raises(
        PassRunError, match=r"^t\.mlir:2:8: error: pass '[a-z-]+' failed on .*: op was not bufferized"
    ):
        run_pipeline(f"builtin.module({text})", module, log)
    assert sum(line.startswith("error: op was not bufferized") for line in log.lines) == 1


def test_reproducer_fails_in_the_same_way(tmp_path: Path) -> None:
    pipeline = "builtin.module(test-on-module{action=build},test-on-function{action=fail})"
    with pytest.raises(PassRunError) as first:
        run_pipeline(pipeline, parse(), reproducer=tmp_path / "r.mlir")
    assert first.value.reproducer == tmp_path / "r.mlir"
    reproducer = read_reproducer((tmp_path / "r.mlir").read_text())
    assert reproducer is not None and reproducer.pipeline == pipeline and reproducer.verify_each
    assert "test.built" not in reproducer.text
    with pytest.raises(PassRunError) as again:
        run_pipeline(reproducer.pipeline, parse(reproducer.text))
    assert str(again.value) == str(first.value)


def test_success_writes_no_reproducer(tmp_path: Path) -> None:
    run_pipeline("builtin.module(cse)", parse(), reproducer=tmp_path / "r.mlir")
    assert list(tmp_path.iterdir()) == []


def test_timing_counts_runs() -> None:
    timing = Timing()
    run_pipeline(
        "builtin.module(func.func(test-on-function,cse))", parse(), Instrumentations([timing, Log()])
    )
    measured = {position.name: position.measure for position in timing.passes()}
    assert {name: watch.runs for name, watch in measured.items()} == {"OnFunction": 2, "CSEPass": 2}
    assert 0 < sum(watch.seconds for watch in measured.values()) < timing.finish()
