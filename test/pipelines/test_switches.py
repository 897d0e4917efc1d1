"""Passes switched off and replaced in the named pipelines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from mlc.compiler import Options
from mlc.passes.base import Pass
from mlc.pipelines.grammar import PipelineError
from mlc.pipelines.lists.graph import FORM_KERNELS, GRAPH_OPTIMIZE
from mlc.pipelines.pass_switches import LOWERS, REQUIRED, apply_switches
from mlc.pipelines.plan import PassPlan, resolve

PIPELINES = Options().pipeline_names()
SEPARATE = {"graph-form-kernels": "graph-form-kernels{fuse=false}"}


def texts(*pipelines: str, **switches: Any) -> list[str]:
    return [str(nest) for nest in apply_switches(pipelines, **switches)]


def test_without_switches_names_stay() -> None:
    assert texts(*PIPELINES) == [f"builtin.module({name})" for name in PIPELINES]


def test_a_disabled_pass_is_nowhere() -> None:
    without = [name for name in GRAPH_OPTIMIZE if name != "cse"]
    assert len(without) < len(GRAPH_OPTIMIZE) - 1, "the test wants a pass that stands there twice"
    assert texts("graph-optimize", disabled=["cse"]) == [f"builtin.module({','.join(without)})"]


def test_a_nested_pass_and_its_empty_nest_go() -> None:
    assert texts("func.func(cse),func.func(cse,canonicalize)", disabled=["cse"]) == [
        "builtin.module(func.func(canonicalize))"
    ]


def test_a_replacement_keeps_the_position() -> None:
    expected = [kernel.replace("form-kernels", "form-kernels{fuse=false}") for kernel in FORM_KERNELS]
    assert texts("form-kernels", replaced=SEPARATE) == [f"builtin.module({','.join(expected)})"]


def test_a_replacement_may_be_a_pipeline_and_is_not_replaced_again() -> None:
    replaced = {"cse": "canonicalize,form-kernels", "canonicalize": "cse"}
    inside = ",".join(["canonicalize", *FORM_KERNELS, "cse"])
    assert texts("cse,canonicalize", replaced=replaced) == [f"builtin.module({inside})"]


@pytest.mark.parametrize(
    ("switches", "message"),
    [
        ({"disabled": ["graph-simplfy"]}, r"hold no pass 'graph-simplfy'; did you mean 'graph-simplify'"),
        ({"disabled": ["inline"]}, r"hold no pass 'inline'; they hold canonicalize, cse, graph-"),
        ({"disabled": ["graph-optimize"]}, r"hold no pass 'graph-optimize'"),
        ({"replaced": {"cse": ""}}, r"the replacement of 'cse' is empty; to take it out, disable it"),
        ({"replaced": {"cse": "csee"}}, r"no pass or pipeline named 'csee'; did you mean 'cse'"),
        ({"replaced": {"graph-form-kernels": "graph-form-kernels{f=1}"}}, r"no option 'f'.*fuse"),
        ({"replaced": {"cse": "cse)"}}, r"expected ',' or the end"),
        ({"exactness": "none"}, r"exactness must be one of exact, rounding, approximate, not 'none'"),
        ({"replaced": {"host-plan-memory": "cse"}}, r"cannot be switched off: host functions compile"),
    ],
)
def test_switches_that_make_no_sense(switches: dict[str, object], message: str) -> None:
    with pytest.raises(PipelineError, match=message):
        texts(*PIPELINES, **switches)


@pytest.mark.parametrize("name", REQUIRED)
def test_what_cannot_be_missed(name: str) -> None:
    with pytest.raises(PipelineError, match=re.escape(f"'{name}' cannot be switched off: {REQUIRED[name]}")):
        texts(*PIPELINES, disabled=[name])


def steps(plan: PassPlan) -> Iterator[Pass]:
    for item in plan.items:
        if isinstance(item, PassPlan):
            yield from steps(item)
        elif item.python is not None:
            yield item.python


@pytest.mark.parametrize("exactness", ["exact", "approximate"])
def test_passes_are_held_to_a_class(exactness: str) -> None:
    passes = [
        step for nest in apply_switches(PIPELINES, exactness=exactness) for step in steps(resolve(nest))
    ]
    with_option = [
        pass_name for pass_name in passes if any(option.name == "exactness" for option in pass_name.options())
    ]
    assert len(with_option) > 10
    assert {str(step).partition("exactness=")[2].rstrip("}") for step in with_option} == {exactness}
    others = {
        pass_name.name
        for pass_name in passes
        if pass_name not in with_option and pass_name.exactness == "rounding"
    }
    reordered = {"graph-assign-layouts", "graph-conv-to-matmul", "graph-winograd"}
    assert others == ({*LOWERS} if exactness == "exact" else {*LOWERS, *reordered})


def test_a_class_that_a_text_gives_stays() -> None:
    given = "graph-simplify{exactness=approximate}"
    assert texts(given, "graph-simplify", exactness="exact") == [
        f"builtin.module({given})",
        "builtin.module(graph-simplify{exactness=exact})",
    ]
    assert texts("func.func(graph-conv-to-matmul),cse", exactness="exact") == ["builtin.module(cse)"]
