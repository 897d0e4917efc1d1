"""Upstream passes: running them, and the generated table."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mlc.bindings import UpstreamPassError, create_context, parse_module, run_upstream, upstream_passes
from mlc.bindings.probe_passes import options_of, pass_names, row


def test_pipeline_runs_on_nested_op() -> None:
    module = parse_module(
        "func.func @f() { %0 = arith.constant 1 : i32 return }\n"
        "func.func @g() { %0 = arith.constant 1 : i32 return }",
        create_context(),
    )
    run_upstream("func.func(canonicalize)", module.body.operations[0])
    assert str(module).count("arith.constant") == 1


def test_failure_carries_diagnostics(capfd: pytest.CaptureFixture[str]) -> None:
    context = create_context(allow_unregistered_dialects=True)
    module = parse_module(
        'func.func @f() {\n  %0 = "a.b"() : () -> tensor<2xf32>\n  return\n}', context, "m.mlir"
    )
    with pytest.raises(UpstreamPassError, match=r"m\.mlir:2:8: error: op was not bufferized"):
        run_upstream("builtin.module(one-shot-bufferize)", module)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("text", ["builtin.module(no-such-pass)", "builtin.module(cse{x=1})", "cse"])
def test_bad_pipeline_is_one_line(text: str) -> None:
    with pytest.raises(UpstreamPassError) as caught:
        run_upstream(text, parse_module("", create_context()))
    assert str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.slow
def test_table_lists_the_passes_of_the_wheel() -> None:
    """If this fails, run `python -m mlc.bindings.probe_passes`."""
    assert list(upstream_passes()) == pass_names()


def test_table_rows_are_current() -> None:
    context = create_context()
    for name in ("affine-loop-unroll", "gpu-decompose-memrefs"):
        entry = upstream_passes()[name]
        expected = "\t".join([entry.name, entry.title, " ".join(entry.anchors), entry.options])
        assert row(name, context) == expected
    assert all(options_of(name, context) == entry.options for name, entry in upstream_passes().items())


def test_bindings_are_lazy() -> None:
    program = "import sys, mlc.bindings, mlc.bindings.upstream_table; print('torch_mlir' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
