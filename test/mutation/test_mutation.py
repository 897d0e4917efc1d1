"""The generator is deterministic, the judge catches each flaw, and a few mutated inputs do no harm."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from attribute_mutations import entries_of
from case_judge import judge
from case_process import Main, run_case
from mutation_cases import CATEGORIES, Case, case_of, generic_form
from mutation_report import Result, summary
from mutation_run import run_cases
from mutation_seeds import INPUT, built_in, seeds


def _case(data: bytes = b"") -> Case:
    return Case(0, "bytes", "none", "mlc-opt", (INPUT,), data)


def _message(text: str, status: int) -> int:
    print(text, file=sys.stderr)
    return status


def _raise(arguments: list[str]) -> int:
    raise ValueError("unforeseen")


def _die(arguments: list[str]) -> int:
    os.kill(os.getpid(), signal.SIGSEGV)
    return 0


def _sleep(arguments: list[str]) -> int:
    time.sleep(60)
    return 0


_FAKES: dict[str, Main] = {
    "traceback": _raise,
    "internal error": lambda arguments: _message("mlc-opt: internal error: KeyError: 'x'", 1),
    "signal": _die,
    "hang": _sleep,
    "status": lambda arguments: _message("mlc-opt: error: x", 3),
    "silence": lambda arguments: 1,
}
_UNEXPLAINED = "mlc-opt: error: input: cannot be parsed"


@pytest.mark.parametrize("flaw", _FAKES)
def test_judge_catches(flaw: str) -> None:
    verdict = judge(run_case(_case(), _FAKES[flaw], limit=0.3 if flaw == "hang" else 10))
    assert verdict.name == flaw
    assert verdict.is_failure


def test_judge_asks_for_the_cause() -> None:
    assert judge(run_case(_case(), lambda arguments: _message(_UNEXPLAINED, 1))).name == "silence"


@pytest.mark.parametrize(
    ("text", "name", "step"),
    [
        ("a:1:1: error: pass 'cse' on 'func.func' crashed (SIGSEGV)", "contained crash", "cse SIGSEGV"),
        ("a: error: the parser did not end within 8 s and was stopped", "contained hang", "the parser"),
        ("mlc-opt: error: pass 'p' failed (--mlc-traceback shows where)", "contained exception", "p"),
        ("a:1:1: error: expected ')'", "error", ""),
    ],
)
def test_judge_separates_contained_from_plain_errors(text: str, name: str, step: str) -> None:
    verdict = judge(run_case(_case(), lambda arguments: _message(text, 1)))
    assert (verdict.name, verdict.step) == (name, step)
    assert not verdict.is_failure


def test_a_case_sees_only_its_input_and_leaves_nothing() -> None:
    def main(arguments: list[str]) -> int:
        print(Path(INPUT).read_text(), sys.stdin.read(), os.listdir(), os.environ["TMPDIR"] == os.getcwd())
        return 0

    before = os.getcwd()
    assert run_case(_case(b"text"), main).output == b"text text ['input'] True\n"
    assert os.getcwd() == before


def test_seeds_have_commands_and_built_in_modules_are_valid() -> None:
    assert {seed.tool for seed in seeds()} == {"mlc-opt", "mlc-translate"}
    assert all(INPUT in seed.arguments for seed in seeds())
    assert all('"builtin.module"(' in generic_form(seed.text) for seed in built_in())


def test_cases_are_deterministic_and_of_all_categories() -> None:
    cases = [case_of(7, index) for index in range(120)]
    assert cases == [case_of(7, index) for index in range(120)]
    assert {case.category for case in cases} == set(CATEGORIES)
    assert cases[0] != case_of(8, 0)


def test_cases_differ_from_their_seeds() -> None:
    texts = {seed.name: seed.text.encode() for seed in seeds()}
    cases = [case_of(7, index) for index in range(120)]
    tokens = [case for case in cases if case.category == "tokens"]
    assert sum(case.data != texts[case.origin] for case in tokens) > 0.8 * len(tokens)


def test_saved_cases_can_be_loaded(tmp_path: Path) -> None:
    case = case_of(7, 3)
    assert Case.load(case.save(tmp_path)) == case


def test_attributes_are_found_in_generic_form() -> None:
    text = '"a.b"(%0) <{x = "}, y", z = [1, {q = 2}]}> ({}) {w = affine_map<(d0) -> (d0)>, u} : () -> ()'
    names = [[entry.name for entry in entries] for entries in entries_of(text)]
    assert names == [["x", "z"], ["w", "u"]]


def test_summary_names_failures() -> None:
    result = Result(3, "bytes", "mlc-opt", judge(run_case(_case(), _die)), 0.5, "there")
    assert "1 cases, 1 failures" in summary([result])
    assert "FAILURE signal: SIGSEGV  mlc-opt there" in summary([result])


@pytest.mark.slow
def test_mutated_inputs_end_in_messages() -> None:
    results = list(run_cases(11, range(60), jobs=2))
    assert [result for result in results if result.verdict.is_failure] == []
    assert len(results) == 60
    assert {"success", "error", "usage"} <= {result.verdict.name for result in results}
