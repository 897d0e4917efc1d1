"""The runner tells apart how cases end, and notices what went worse than the record says."""

from __future__ import annotations

import json
from pathlib import Path

import conformance_record as records
import conformance_run
import ml_dtypes
import numpy as np
import pytest
from conformance_compare import MismatchError, compare
from conformance_engine import Setup
from conformance_fakes import fake_case, fake_engine
from conformance_outcome import Outcome
from conformance_pool import Pool
from conformance_report import families, missing_operators

from mlc.tools.cases.reasons import failure, refusal
from mlc.tools.cases.suite import SuiteCase
from mlc.tools.cases.variants import in_variant
from mlc.tools.cases.worker import WorkerError


def _run(engine: Path, *cases: SuiteCase, jobs: int = 2, limit: float = 20.0) -> dict[str, Outcome]:
    setup = Setup(engine, "static", {case.name: case for case in cases})
    return {outcome.name: outcome for outcome in Pool(setup, jobs, limit).run(cases)}


def test_every_outcome_is_distinguished(tmp_path: Path) -> None:
    behaviours = "doubles keeps raises leaves dies refuses".split()
    outcomes = _run(fake_engine(tmp_path), *(fake_case(name, name) for name in behaviours))
    assert {name: (outcome.status, outcome.reason) for name, outcome in outcomes.items()} == {
        "doubles": ("pass", ""),
        "keeps": ("mismatch", "values: output 0: Mismatched elements: 3 / 3 (100%)"),
        "raises": ("error", "ValueError: one line"),
        "leaves": ("crash", "exit status 3"),
        "dies": ("crash", "SIGSEGV"),
        "refuses": ("unsupported", "TopK (opset 11): the operator is not supported"),
    }


def test_a_hang_is_killed_and_others_go_on(tmp_path: Path) -> None:
    cases = [fake_case("hang", "sleeps"), *(fake_case(f"good_{i}") for i in range(5))]
    outcomes = _run(fake_engine(tmp_path), *cases, limit=0.5)
    assert outcomes.pop("hang").status == "timeout"
    assert [value.status for value in outcomes.values()] == ["pass"] * 5


def test_a_crash_counts_only_in_a_fresh_process(tmp_path: Path) -> None:
    cases = [fake_case("a"), fake_case("b", "dies_unless_first"), fake_case("c", "dies")]
    outcomes = _run(fake_engine(tmp_path), *cases, jobs=1)
    assert {name: outcome.status for name, outcome in outcomes.items()} == {
        "a": "pass",
        "b": "pass",
        "c": "crash",
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("raise ImportError('no such engine')", "ImportError: no such engine"),
        ("import os; os._exit(4)", "exit status 4"),
    ],
)
def test_an_engine_that_cannot_be_loaded_is_an_error(tmp_path: Path, text: str, reason: str) -> None:
    engine = tmp_path / "bad.py"
    engine.write_text(text)
    with pytest.raises(WorkerError, match=reason):
        _run(engine, fake_case("a"))


_F8 = ml_dtypes.float8_e4m3fn


@pytest.mark.parametrize(
    ("expected", "output", "message"),
    [
        (np.zeros(3, np.float32), np.zeros((1, 3), np.float32), "shape: output 0"),
        (np.zeros(3, np.float32), np.zeros(3), "dtype: output 0"),
        (np.ones(3, np.float32), np.full(3, 1.002, np.float32), "values: output 0"),
        (np.ones(3, ml_dtypes.bfloat16), np.full(3, 1.04, ml_dtypes.bfloat16), "values: output 0"),
        (np.ones(3, _F8), np.full(3, 1.25, _F8), "values: output 0"),
        (np.array(["a", "b"], object), np.array(["a", "c"], object), "values: output 0"),
        (np.zeros(3, np.float32), [0.0, 0.0, 0.0], "type: output 0"),
        (np.zeros(3, np.float32), None, "type: output 0"),
        ([np.zeros(3)], [np.zeros(3), np.zeros(3)], "count: output 0"),
        ([np.zeros(3)], [np.ones(3)], r"values: output 0\[0\]"),
        ([np.zeros(3)], np.zeros(3), "type: output 0"),
        (None, np.zeros(3), "type: output 0"),
    ],
)
def test_what_differs_is_a_mismatch(expected: object, output: object, message: str) -> None:
    with pytest.raises(MismatchError, match=f"^{message}"):
        compare([expected], [output], 1e-3, 1e-7)
    compare([expected], [expected], 1e-3, 1e-7)


def test_outputs_are_counted_and_compared_with_a_tolerance() -> None:
    compare([np.ones(3, np.float32)], [np.full(3, 1.0009, np.float32)], 1e-3, 1e-7)
    compare([np.ones(3, ml_dtypes.bfloat16)], [np.full(3, 1.01, ml_dtypes.bfloat16)], 1e-3, 1e-7)
    with pytest.raises(MismatchError, match="count: 2 outputs"):
        compare([np.ones(3)], [np.ones(3), np.ones(3)], 1e-3, 1e-7)


def test_variants_change_a_copy_of_the_model() -> None:
    loaded = fake_case("a").load()
    model, [data] = in_variant(loaded, "const")
    assert [tensor.name for tensor in model.graph.initializer] == ["x"]
    assert (len(model.graph.input), data.inputs) == (0, [])
    model, [data] = in_variant(loaded, "dynamic")
    assert [dim.dim_param for dim in model.graph.input[0].type.tensor_type.shape.dim] == ["in0_0"]
    assert len(data.inputs) == 1
    assert [dim.dim_value for dim in loaded[0].graph.input[0].type.tensor_type.shape.dim] == [3]


def test_reasons_do_not_change_from_run_to_run() -> None:
    assert (
        failure(ValueError("file /tmp/x/y.mlir at 0x7f00 is bad\nmore"))
        == "ValueError: file ... at ... is bad"
    )
    assert refusal(ValueError("<memory>: input 'x' is of STRING")) == "input 'x' is of STRING"
    assert len(failure(ValueError("x" * 1000))) < 300


def test_reasons_are_counted_by_family() -> None:
    lacks = "{0} (opset 11): the operator is not supported"
    outcomes = [
        Outcome("a", "unsupported", f"{lacks.format('TopK')}; {lacks.format('ai.onnx.ml.Scaler')}"),
        Outcome("b", "unsupported", lacks.format("TopK")),
        Outcome("c", "unsupported", lacks.format("TopK").replace("11", "1")),
        Outcome("d", "pass"),
    ]
    assert missing_operators(outcomes) == {"TopK": 3, "ai.onnx.ml.Scaler": 1}
    assert list(families(outcomes).values()) == [["b", "c"], ["a"]]


def test_records_are_read_as_written(tmp_path: Path) -> None:
    path = tmp_path / "static.txt"
    assert records.read(path) is None
    written = [
        Outcome("b", "error", "ValueError: a: b"),
        Outcome("a", "timeout"),
        Outcome("c", records.NOT_RUN),
    ]
    records.write(path, {outcome.name: outcome for outcome in written}, "static")
    assert records.read(path) == {outcome.name: outcome for outcome in written}
    assert [line.partition(":")[0] for line in path.read_text().splitlines()[1:]] == ["a", "b", "c"]
    path.write_text("a: passed\n")
    with pytest.raises(ValueError, match="unknown status"):
        records.read(path)


def test_a_partial_run_changes_its_part_of_the_record() -> None:
    names = ["a", "b", "c", "d"]
    first = records.merge(None, [Outcome("a", "crash"), Outcome("b", "pass")], names)
    assert {name: outcome.status for name, outcome in first.items()} == {
        "a": "crash",
        "c": records.NOT_RUN,
        "d": records.NOT_RUN,
    }
    assert sorted(records.merge(first, [Outcome("a", "pass"), Outcome("c", "error")], names)) == ["c", "d"]
    assert sorted(records.merge(first, [], ["c"])) == ["c"]


def test_changes_are_found() -> None:
    record = {name: Outcome(name, "unsupported") for name in ("refused", "wrong", "fixed")}
    record["failed"] = Outcome("failed", "mismatch")
    outcomes = [
        *(Outcome("new", "unsupported"), Outcome("refused", "unsupported"), Outcome("wrong", "mismatch")),
        *(Outcome("fixed", "pass"), Outcome("failed", "error"), Outcome("good", "pass")),
    ]
    changes = records.changes(record, outcomes)
    assert [regression.name for regression in changes.regressions] == ["new"]
    assert [outcome.name for outcome in changes.worse] == ["wrong"]
    assert changes.fixed == ["fixed"]
    assert changes.bad
    assert not records.changes(record, [outcomes[1], outcomes[3], outcomes[4]]).bad


def test_a_regression_fails_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--engine", str(fake_engine(tmp_path)), "--records", str(tmp_path)]

    def run(a: str, b: str, *more: str) -> tuple[int, str]:
        cases = [fake_case("case_a", a), fake_case("case_b", b)]
        monkeypatch.setattr(conformance_run, "suite_cases", lambda: cases)
        status = conformance_run.main([*arguments, *more])
        return status, capsys.readouterr().out

    assert run("doubles", "keeps", "--record")[0] == 0
    status, text = run("doubles", "keeps")
    assert (status, text.splitlines()[-1]) == (0, "as recorded")
    status, text = run("keeps", "keeps")
    assert status == 1
    assert "1 cases passed before and do not now:\n  case_a: mismatch" in text
    status, text = run("doubles", "doubles", "--json", str(tmp_path / "out.json"))
    assert status == 0
    assert "pass and are recorded as failing" in text
    assert {load["name"]: load["status"] for load in json.loads((tmp_path / "out.json").read_text())} == {
        "case_a": "pass",
        "case_b": "pass",
    }
    assert "1 cases in" in run("keeps", "keeps", "--passing", "--every", "1")[1]
    assert "1 cases in" in run("keeps", "keeps", "--failing")[1]
    assert run("keeps", "keeps", "--filter", "_b$")[0] == 0
    assert run("keeps", "keeps", "--category", "real")[0] == 2
    assert run("keeps", "keeps", "--filter", "none")[0] == 2
