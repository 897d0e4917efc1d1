"""The fuzzer finds planted faults, shrinks and saves them; what it found once is replayed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from fuzz_models import case_of_nodes, chain_case, compiler_of, faulty, operators
from onnx import ModelProto, helper

from mlc.tools.fuzz import oracles
from mlc.tools.fuzz.case import FuzzCase, load
from mlc.tools.fuzz.driver import Fuzzer
from mlc.tools.fuzz.findings import save_findings
from mlc.tools.fuzz.oracles import reference
from mlc.tools.fuzz.seeds import Seeds
from mlc.tools.fuzz.shrink import shrink
from mlc.tools.fuzz.summary import as_data, as_text
from mlc.tools.fuzz.worker_side import WorkerSettings
from mlc.tools.mlc.main import main

SAVED = Path(__file__).parent / "saved"
X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


def _unary(operator: str) -> FuzzCase:
    return case_of_nodes([helper.make_node(operator, ["x"], ["y"])], {"x": X}, ["y"])


def _fuzzer(*seeds: FuzzCase, limit: float = 20.0, seed: int = 0) -> Fuzzer:
    return Fuzzer(WorkerSettings(Seeds(seeds, {}), seed, compiler=compiler_of(faulty)), 2, limit)


def test_a_case_shrinks_to_what_matters() -> None:
    def interesting(case: FuzzCase) -> bool:
        return "Add" in operators(case.model) and reference(case.model, case.inputs)[0].size > 0

    small = shrink(chain_case(), interesting)
    assert operators(small.model) == ["Add"]
    assert {array.shape for array in small.inputs.values()} == {(1, 1, 1), (1,)}
    assert all(not array.any() for array in small.inputs.values())


def test_shrinking_keeps_to_its_trials() -> None:
    tried: list[FuzzCase] = []

    def interesting(case: FuzzCase) -> bool:
        tried.append(case)
        return False

    case = chain_case()
    assert shrink(case, interesting, 5) is case
    assert len(tried) == 5


def test_a_planted_fault_is_found_shrunk_and_saved(tmp_path: Path) -> None:
    fuzzer = _fuzzer(_unary("Relu"), _unary("Sqrt"))
    results = sorted(fuzzer.run_drawn(range(24)), key=lambda result: int(result.name))
    wrong = [result for result in results if result.verdict.is_finding]
    assert wrong
    assert all("Relu" in result.operators for result in wrong)
    assert any(result.verdict.outcome == "agree" for result in results)
    folders = list(save_findings(fuzzer, results, tmp_path, 60))
    case, record = load(folders[0])
    assert operators(case.model) == ["Relu"]
    assert (record["outcome"], record["seed"]) == ("mismatch", 0)
    assert sum(array.size for array in case.inputs.values()) <= 1
    [again] = fuzzer.run_saved([folders[0] / "model.onnx"])
    assert again.verdict.outcome == "mismatch"
    assert as_data(results)["counts"]["mismatch"] == len(wrong)
    assert any("groups of findings" in line for line in as_text(results))


@pytest.mark.parametrize(
    ("operator", "outcome", "reason"),
    [("Exp", "error", "planted"), ("Neg", "crash", "SIGKILL in mlc"), ("Abs", "hang", "over 2 s in mlc")],
)
def test_what_ends_badly_is_a_finding_and_others_go_on(operator: str, outcome: str, reason: str) -> None:
    fuzzer = _fuzzer(_unary(operator), _unary("Sqrt"), limit=2.0)
    found = {result.name: result.verdict for result in fuzzer.run_drawn(range(6))}
    assert len(found) == 6
    assert {value.outcome for value in found.values() if value.is_finding} == {outcome}
    assert all(reason in value.reason for value in found.values() if value.is_finding)


def test_an_oracle_that_dies_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(model: ModelProto, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        return faulty(case_of_nodes([helper.make_node("Neg", ["x"], ["y"])], {"x": X}, ["y"]).model, inputs)

    monkeypatch.setitem(oracles.ORACLES, "onnxruntime", dies)
    results = list(_fuzzer(_unary("Sqrt")).run_drawn(range(2)))
    assert [result.verdict.votes["onnxruntime"] for result in results] == ["crashed"] * 2
    assert all(not result.verdict.is_finding for result in results)


def test_the_command_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(oracles, "find_spec", lambda _name: None)
    assert main(["fuzz", "--cases", "1"]) == 1
    assert "pip install 'mlc-compiler[test]'" in capsys.readouterr().err
    assert main(["fuzz", "--variant", "statik"]) == 2
    assert main(["fuzz", "--ops", "("]) == 2


def test_files_that_the_command_cannot_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--cases", "1", "--log", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"mlc: error: {tmp_path}: Is a directory\n"
    (tmp_path / "file").touch()
    assert main(["fuzz", "--cases", "1", "--output", str(tmp_path / "file")]) == 2


def test_what_is_no_case_is_not_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = next(SAVED.iterdir())
    for name, record in (("empty", None), ("lacking", "{}"), ("garbage", "x")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "model.onnx").write_bytes((good / "model.onnx").read_bytes())
        if record is not None:
            (folder / "case.json").write_text(record)
        assert main(["fuzz", "--replay", str(good), "--replay", str(folder)]) == 1
        captured = capsys.readouterr()
        assert not captured.out
        assert (
            captured.err.startswith(f"mlc: error: {folder} is no saved case: ")
            and captured.err.count("\n") == 1
        )


@pytest.mark.slow
def test_the_command_runs_cases(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["fuzz", "--cases", "6", "--ops", "^(Relu|Sqrt)$", "--json", "--output", str(tmp_path)]
    assert main(arguments) == 0
    data = json.loads(capfd.readouterr().out)
    assert data["cases"] == 6
    assert data["counts"]["agree"] >= 1
    assert main(["fuzz", "--cases", "1", "--ops", "^NoSuchOperator$"]) == 1


def test_what_was_found_stays_mended() -> None:
    folders = sorted(path.parent for path in SAVED.glob("*/case.json"))
    results = Fuzzer(WorkerSettings(Seeds((), {})), 2, 120.0).run_saved(folders)
    wrong = {
        Path(result.name).name: result.verdict for result in results if result.verdict.outcome != "agree"
    }
    assert not wrong
