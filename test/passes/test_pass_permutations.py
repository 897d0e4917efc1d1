"""Graph passes in any order keep what a program computes, and change nothing when they run twice."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pass_permutations
import pytest
from mlc.passes import registry
from mlc.pipelines.named import GRAPH_OPTIMIZE, LOWER_GRAPH
from oracle import compiled, differences, runtime
from pass_permutations import Subject, optimizers, permutation, report, shrink

GRAPHS, PERMUTATIONS = 50, 200
FAST_GRAPHS, FAST_PERMUTATIONS = 10, 5
# ONNX Runtime and compiled programs compute in f32; errors of single ops grow along chains.
F32 = 1e-4
ORDER = [*GRAPH_OPTIMIZE, *LOWER_GRAPH]

subject = cache(Subject)


def seeds(fast: int) -> list[object]:
    """All graphs; those after the first `fast` are slow."""
    return [*range(fast), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(fast, GRAPHS))]


@pytest.mark.parametrize("seed", seeds(GRAPHS))
def test_the_evaluator_agrees_with_onnx_runtime(seed: int) -> None:
    one = subject(seed)
    expected = runtime(one.graph.model(), one.graph.inputs)
    assert expected is not None
    actual = {
        name: array.astype("f4") for name, array in zip(one.imported.outputs, one.expected, strict=True)
    }
    assert differences(actual, expected, F32) == {}


def disagreements(seed: int, permutations: range) -> list[str]:
    """The first order of the passes after which the graph computes something else, shrunk."""
    for order in map(permutation, permutations):
        if subject(seed).failure(order):
            return [report(subject(seed), order)]
    return []


@pytest.mark.parametrize("seed", range(FAST_GRAPHS))
def test_any_order_keeps_the_results(seed: int) -> None:
    # Other orders for each graph: more orders are seen.
    first = seed * FAST_PERMUTATIONS
    assert disagreements(seed, range(first, first + FAST_PERMUTATIONS)) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(GRAPHS))
def test_all_orders_keep_the_results(seed: int) -> None:
    assert disagreements(seed, range(PERMUTATIONS)) == []


@pytest.mark.parametrize("seed", range(3))
def test_compiled_programs_agree_too(seed: int) -> None:
    one = subject(seed)
    expected = runtime(one.graph.model(), one.graph.inputs)
    assert expected is not None
    first = [each for each in permutation(seed) if each in optimizers()]
    pipelines = [*first, "lower-graph", "form-kernels", "host-plan-memory"]
    program = compiled(one.graph.model(), pipelines=pipelines)
    assert differences(program.run(one.graph.inputs), expected, F32) == {}


def unstable(seed: int, name: str) -> str:
    """How to see that a pass changes what it made itself, where it stands first in the pipelines or alone."""
    for before in (ORDER[: ORDER.index(name)] if name in ORDER else [], []):
        once, twice = (subject(seed).after([*before, *[name] * times]).get_asm() for times in (1, 2))
        if once != twice:
            flags = " ".join(f"--{each}" for each in [*before, name, name])
            return f"{pass_permutations.command(seed)} {flags}"
    return ""


def check_idempotence(name: str, graphs: range) -> None:
    assert [found for seed in graphs if (found := unstable(seed, name))] == []


def idempotent_passes() -> list[str]:
    """The passes of ours that say so."""
    names = dict.fromkeys([*optimizers(), *ORDER])
    known = {name: registry.lookup(name) for name in names}
    return [name for name, cls in known.items() if cls is not None and cls.idempotent]


@pytest.mark.parametrize("name", idempotent_passes())
def test_passes_are_idempotent(name: str) -> None:
    check_idempotence(name, range(FAST_GRAPHS))


@pytest.mark.slow
@pytest.mark.parametrize("name", idempotent_passes())
def test_passes_are_idempotent_on_all_graphs(name: str) -> None:
    check_idempotence(name, range(FAST_GRAPHS, GRAPHS))


def test_shrinking_finds_the_passes_that_fail_together() -> None:
    def fails(passes: object) -> bool:
        return [each for each in passes if each in "bd"] == ["d", "b"]  # type: ignore[attr-defined]

    assert shrink("fdacbe", fails) == ["d", "b"]


def test_a_wrong_pass_is_found_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._TABLE, "test-drop-negation", "wrong_pass:DropNegation")
    seed = next(seed for seed in range(GRAPHS) if '"graph.neg"' in subject(seed).text)
    broken = report(Subject(seed), ["canonicalize", "test-drop-negation", "cse"])
    assert "largest error" in broken
    assert broken.endswith(f"pass_permutations.py {seed} | mlc-opt --test-drop-negation")


def test_the_printed_command_prints_the_graph() -> None:
    script = Path(pass_permutations.__file__)
    done = subprocess.run([sys.executable, script, "1"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == subject(1).text.strip()
