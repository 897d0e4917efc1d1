"""Graph passes in any order keep what a program computes, and change nothing when they run twice."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pass_permutations
import pytest
from control_flow_subjects import ControlFlowSubject
from oracle import compile_model, differences, expected_of
from pass_permutations import Subject, optimizers, permutation, report, shrink

from mlc.passes import registry
from mlc.pipelines.lists.graph import GRAPH_OPTIMIZE, LOWER_GRAPH

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
    expected = expected_of(one.graph.model(), one.graph.inputs)
    actual = {
        name: array.astype("f4") for name, array in zip(one.imported.outputs, one.expected, strict=True)
    }
    assert differences(actual, expected, F32) == {}


def disagreements(one: Subject, permutations: range) -> list[str]:
    """The first order of the passes after which the graph computes something else, shrunk."""
    for order in map(permutation, permutations):
        if one.failure(order):
            return [report(one, order)]
    return []


@pytest.mark.parametrize("seed", range(FAST_GRAPHS))
def test_any_order_keeps_the_results(seed: int) -> None:
    # Other orders for each graph: more orders are seen.
    first = seed * FAST_PERMUTATIONS
    assert disagreements(subject(seed), range(first, first + FAST_PERMUTATIONS)) == []


@pytest.mark.parametrize("seed", seeds(4))
def test_any_order_keeps_the_results_of_control_flow(seed: int) -> None:
    one = ControlFlowSubject(seed)
    assert '"graph.if"' in one.text or '"graph.loop"' in one.text
    for order in map(permutation, range(seed, seed + 4)):
        first = [name for name in order if name in optimizers()]
        assert one.failure(first) is None, report(one, first)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(GRAPHS))
def test_all_orders_keep_the_results(seed: int) -> None:
    # Not `subject`: its cache of all these orders would fill the memory.
    assert disagreements(Subject(seed), range(PERMUTATIONS)) == []


@pytest.mark.parametrize("seed", range(3))
def test_compiled_programs_agree_too(seed: int) -> None:
    one = subject(seed)
    expected = expected_of(one.graph.model(), one.graph.inputs)
    first = [name for name in permutation(seed) if name in optimizers()]
    pipelines = [*first, "lower-graph", "form-kernels", "host-plan-memory"]
    program = compile_model(one.graph.model(), pipelines=pipelines)
    assert differences(program.run(one.graph.inputs), expected, F32) == {}


def idempotent_passes() -> list[str]:
    """The passes of ours: a second run of each changes nothing."""
    return [name for name in dict.fromkeys([*optimizers(), *ORDER]) if registry.lookup(name) is not None]


def changed_again(one: Subject, passes: Sequence[str]) -> list[str]:
    """Returns command lines that show a change by the second run of a pass, for `passes` in order."""
    found, known, module = [], idempotent_passes(), None
    for index, name in enumerate(passes):
        module = one.after([name], module)
        if name in known and module.get_asm() != one.after([name], module).get_asm():
            flags = " ".join(f"--{pass_name}" for pass_name in [*passes[: index + 1], name])
            found.append(f"{pass_permutations.command(one.seed)} {flags}")
    return found


@pytest.mark.parametrize("seed", seeds(FAST_GRAPHS))
def test_a_second_run_changes_nothing(seed: int) -> None:
    one = subject(seed)
    alone = [found for name in idempotent_passes() for found in changed_again(one, [name])]
    assert alone + changed_again(one, ORDER) == []


@pytest.mark.parametrize("seed", seeds(2))
def test_a_second_run_changes_nothing_in_control_flow(seed: int) -> None:
    one = ControlFlowSubject(seed)
    alone = [name for name in idempotent_passes() if name in optimizers()]
    assert [found for name in alone for found in changed_again(one, [name])] == []


def test_shrinking_finds_the_passes_that_fail_together() -> None:
    def fails(passes: object) -> bool:
        return [pass_name for pass_name in passes if pass_name in "bd"] == ["d", "b"]  # type: ignore[attr-defined]

    assert shrink("fdacbe", fails) == ["d", "b"]


def test_a_wrong_pass_is_found_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._TABLE, "test-drop-negation", "wrong_pass:DropNegation")
    seed = next(seed for seed in range(GRAPHS) if '"graph.neg"' in subject(seed).text)
    broken = report(Subject(seed), ["canonicalize", "test-drop-negation", "cse"])
    assert "largest error" in broken
    assert broken.endswith(f"pass_permutations.py {seed} | mlc-opt --test-drop-negation")


def test_a_pass_that_hides_a_change_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._TABLE, "test-hide-change", "wrong_pass:HideChange")
    failure = Subject(0).failure(["cse", "test-hide-change"])
    assert failure is not None and failure.endswith(
        "test-hide-change changed the module and says that it did not"
    )


def test_the_printed_command_prints_the_graph() -> None:
    script = Path(pass_permutations.__file__)
    done = subprocess.run([sys.executable, script, "1"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == subject(1).text.strip()
