"""Pipelines of reproducers, pass by pass and option by option."""

from mlc.tools.reduce.document import options_of, passes_of, read_document, with_options, with_passes

PIPELINE = "builtin.module(cse,func.func(canonicalize{top-down=false max-iterations=2},any{x={a b} y}))"


def test_passes_are_counted_and_dropped_with_anchors_that_become_empty() -> None:
    assert passes_of(PIPELINE) == 3
    assert with_passes(PIPELINE, [0]) == "builtin.module(cse)"
    assert with_passes(PIPELINE, [2]) == "builtin.module(func.func(any{x={a b} y}))"
    assert with_passes(PIPELINE, [0, 1, 2]) == PIPELINE


def test_options_are_counted_and_dropped() -> None:
    assert options_of(PIPELINE) == 4
    assert with_options(PIPELINE, []) == "builtin.module(cse,func.func(canonicalize,any))"
    assert with_options(PIPELINE, [1, 2]) == (
        "builtin.module(cse,func.func(canonicalize{max-iterations=2},any{x={a b}}))"
    )
    assert with_options(PIPELINE, [0, 1, 2, 3]) == PIPELINE


def test_a_pipeline_that_cannot_be_read_has_no_parts() -> None:
    assert passes_of("builtin.module(cse") == options_of("builtin.module(cse{a)") == 0


def test_chunks_and_their_text() -> None:
    document = read_document("in.mlir", "a\n// -----\nb\n// -----\nc")
    assert document.chunks == ("a\n", "b\n", "c\n")
    assert document.text() == "a\n// -----\nb\n// -----\nc\n"
    assert document.with_chunk(1, "d\n").chunks == ("a\n", "d\n", "c\n")
