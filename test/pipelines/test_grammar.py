"""Pipeline text: round trips and positions of errors."""

from __future__ import annotations

import pytest

from mlc.pipelines.grammar import NestedElements, PassNode, PipelineError, parse_elements, parse_pipeline


@pytest.mark.parametrize(
    "text",
    [
        "builtin.module()",
        "builtin.module(cse)",
        "builtin.module(cse,func.func(canonicalize{top-down=false},cse),symbol-dce)",
        "any(inline{default-pipeline=canonicalize op-pipelines={func.func(canonicalize,cse)}})",
        'builtin.module(gpu.module(x{text="a } b" list=1,2}))',
    ],
)
def test_round_trip(text: str) -> None:
    assert str(parse_pipeline(text)) == text


def test_spaces_and_newlines_mean_nothing() -> None:
    parsed = parse_pipeline(" builtin.module (\n  cse ,\n func.func( canonicalize{ a=1  b=2 } )\n) ")
    expected = NestedElements(
        "builtin.module",
        (PassNode("cse"), NestedElements("func.func", (PassNode("canonicalize", "a=1  b=2"),))),
    )
    assert parsed == expected


def test_elements_need_no_anchor() -> None:
    assert parse_elements("cse,func.func(cse)") == (
        PassNode("cse"),
        NestedElements("func.func", (PassNode("cse"),)),
    )
    assert parse_elements("") == ()


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("cse", "expected a pipeline with an anchor", 0),
        ("builtin.module(cse", "expected ',' or the '\\)'", 18),
        ("builtin.module(cse))", "expected ',' or the end", 19),
        ("builtin.module(cse,)", "expected the name of a pass", 19),
        ("builtin.module(,cse)", "expected the name of a pass", 15),
        ("builtin.module(cse{a=1)", "nothing closes this '{'", 18),
        ("builtin.module(cse canonicalize)", "expected ',' or the '\\)'", 19),
    ],
)
def test_errors_point_into_the_text(text: str, message: str, position: int) -> None:
    with pytest.raises(PipelineError, match=message) as caught:
        parse_pipeline(text)
    assert caught.value.position == position
    assert str(caught.value).splitlines()[-1] == " " * (position + 2) + "^"
