"""Votes, tolerances, and what a verdict rests on."""

from __future__ import annotations

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
from fuzz_models import case_of_nodes, chain_case, compiler_of, faulty
from onnx import ModelProto, helper

from mlc.frontends.errors import UnsupportedModelError
from mlc.tools.fuzz import objections, oracles
from mlc.tools.fuzz import verdicts as judging
from mlc.tools.fuzz.case import FuzzCase
from mlc.tools.fuzz.comparison import difference
from mlc.tools.fuzz.oracle_votes import vote
from mlc.tools.fuzz.oracles import ORACLES, Oracle, inline_functions, onnxruntime, reference
from mlc.tools.fuzz.verdicts import judge

ONE, TWO = [np.ones(2, np.float32)], [np.full(2, 2, np.float32)]


def test_most_votes_win() -> None:
    assert vote({}).outcome == "none"
    assert vote({"a": ONE}).winners == ("a",)
    assert vote({"a": ONE, "b": TWO}).outcome == "undecided"
    decided = vote({"a": ONE, "b": TWO, "c": TWO})
    assert (decided.outcome, decided.winners) == ("decided", ("b", "c"))
    assert np.array_equal(decided.outputs[0], TWO[0])


@pytest.mark.parametrize(
    ("expected", "output", "what"),
    [
        (np.ones(2), np.ones((1, 2)), "shape"),
        (np.ones(2), np.ones(2, np.float32), "type"),
        (np.ones(2), np.full(2, 1 + 1e-6), "values"),
        (np.ones(2, np.float32), np.full(2, 1 + 1e-4, np.float32), ""),
        (np.ones(2, np.float32), np.full(2, 1 + 2e-3, np.float32), "values"),
        (np.array([1e4, 0], np.float32), np.array([1e4, 0.09], np.float32), ""),
        (np.array([1e4, 0], np.float32), np.array([1e4, 0.2], np.float32), "values"),
        (np.array([np.nan, np.inf]), np.array([np.nan, np.inf]), ""),
        (np.array([np.inf]), np.array([-np.inf]), "values"),
        (np.array([np.inf]), np.array([1e308]), "values"),
        (np.array([np.nan]), np.array([0.0]), "values"),
        (np.array([3], np.int8), np.array([4], np.int8), "values"),
        (np.array([1], ml_dtypes.bfloat16), np.array([1.03], ml_dtypes.bfloat16), ""),
        (np.array([1], ml_dtypes.bfloat16), np.array([1.1], ml_dtypes.bfloat16), "values"),
        (np.array([1 + 1j]), np.array([1 - 1j]), "values"),
    ],
)
def test_tolerances_are_by_type(expected: np.ndarray, output: np.ndarray, what: str) -> None:
    assert difference([expected], [output]).partition(":")[0] == what
    assert difference([expected], [expected]) == ""
    assert difference([expected], [expected, expected]).startswith("count")


def test_oracles_agree_and_know_types_that_numpy_lacks() -> None:
    array = np.array([-1, 2.5, 3], ml_dtypes.bfloat16)
    case = case_of_nodes([helper.make_node("Identity", ["x"], ["y"])], {"x": array}, ["y"])
    for oracle in (onnxruntime, reference):
        assert difference([array], oracle(case.model, case.inputs)) == ""
    x = np.linspace(-3, 3, 7, dtype=np.float32)
    swish = case_of_nodes([helper.make_node("HardSwish", ["x"], ["y"])], {"x": x}, ["y"])
    answers = [oracle(swish.model, swish.inputs) for oracle in ORACLES.values()]
    assert [difference(answers[0], other) for other in answers[1:]] == ["", "", ""]
    with pytest.raises(Exception, match="function body"):
        inline_functions(case.model)


def test_a_right_compiler_agrees() -> None:
    assert judge(chain_case(), compiler=compiler_of(reference)).outcome == "agree"


def test_a_fault_is_a_mismatch_and_an_exception_an_error() -> None:
    verdict = judge(chain_case(), compiler=compiler_of(faulty))
    assert verdict.outcome == "mismatch"
    assert verdict.reason.startswith("values: output 0")
    case = case_of_nodes([helper.make_node("Exp", ["x"], ["y"])], {"x": ONE[0]}, ["y"])
    verdict = judge(case, compiler=compiler_of(faulty))
    assert (verdict.outcome, verdict.reason) == ("error", "ZeroDivisionError: planted")


def test_refusals_differ_from_what_no_oracle_runs() -> None:
    def refuse(*_: object) -> list[np.ndarray]:
        raise UnsupportedModelError(
            "m: 1 node cannot be imported:", "Relu (opset 18): it is not supported: node 'a'"
        )

    assert judge(chain_case(), compiler=compiler_of(refuse)).outcome == "refused"
    wrong = case_of_nodes([helper.make_node("NoSuchOperator", ["x"], ["y"])], {"x": ONE[0]}, ["y"])
    assert judge(wrong, compiler=compiler_of(refuse)).outcome == "invalid"
    assert judge(wrong, compiler=compiler_of(lambda *_: ONE)).outcome == "unjudged"


def test_a_failed_pass_is_no_refusal() -> None:
    class CompileError(Exception):
        pass

    def fail(message: str) -> Oracle:
        def compiler(*_: object) -> list[np.ndarray]:
            raise CompileError(message)

        return compiler

    assert (
        judge(chain_case(), compiler=compiler_of(fail("pass 'x' failed on 'func.func'"))).outcome == "error"
    )
    assert (
        judge(chain_case(), compiler=compiler_of(fail("all inputs must be tensors of known sizes"))).outcome
        == "refused"
    )


def test_what_mlc_says_of_the_data_of_a_call_is_no_failure_where_nobody_runs_them() -> None:
    def object_to(*_: object) -> list[np.ndarray]:
        raise judging.Objection("dims do not broadcast")

    three = np.ones(3, np.float32)
    add = helper.make_node("Add", ["x", "z"], ["y"])
    for z, expected in ((TWO[0], "invalid"), (three, "error")):
        case = case_of_nodes([add], {"x": three, "z": three}, ["y"]).with_inputs({"x": three, "z": three})
        case.inputs["z"] = z
        assert judge(case, compiler=compiler_of(object_to)).outcome == expected


def test_what_takes_oracles_too_long_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> list[np.ndarray]:
        raise TimeoutError("over 20 s")

    monkeypatch.setattr(judging, "ORACLES", {"reference": slow})
    verdict = judge(chain_case(), compiler=compiler_of(lambda *_: pytest.fail("it is run")))
    assert verdict.outcome == "unjudged"


def test_oracles_have_limited_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracles, "_LIMIT", 0.05)
    with pytest.raises(TimeoutError), oracles.time_limit():
        while True:
            pass


def test_constants_are_moved_as_inputs_are() -> None:
    case = case_of_nodes([helper.make_node("Floor", ["s"], ["y"])], {"s": np.ones(1, np.float32)}, ["y"])
    for variant_case in (case, replace(case, variant="const")):
        assert (
            judge(variant_case, compiler=compiler_of(lambda *_: [np.zeros(1, np.float32)])).outcome
            == "unstable"
        )


def test_what_rounding_explains_is_unstable() -> None:
    near_half = np.array([0.5, 1.0], np.float32)
    case = case_of_nodes([helper.make_node("Floor", ["s"], ["y"])], {"s": near_half * 2}, ["y"])
    assert judge(case, compiler=compiler_of(lambda *_: [np.array([0, 2], np.float32)])).outcome == "unstable"
    far = case.with_inputs({"s": near_half + 1})
    assert judge(far, compiler=compiler_of(lambda *_: [np.array([0, 2], np.float32)])).outcome == "mismatch"


def test_known_faults_of_oracles_cost_them_their_vote() -> None:
    x, counts = np.ones(3, np.uint8), np.array([1, 2, 9], np.uint8)
    node = helper.make_node("BitShift", ["x", "n"], ["y"], direction="LEFT")
    for inputs, expected in (
        ({"x": x, "n": counts}, "unjudged"),
        ({"x": x, "n": counts[:2].repeat(2)[:3]}, "mismatch"),
    ):
        verdict = judge(case_of_nodes([node], inputs, ["y"]), compiler=compiler_of(lambda *_: [x]))
        assert verdict.outcome == expected
    rnn = helper.make_node("RNN", ["x", "w", "r"], ["", "y"], hidden_size=1, clip=0.5)
    shapes = {"x": (2, 1, 1), "w": (1, 1, 1), "r": (1, 1, 1)}
    case = case_of_nodes([rnn], {n: np.ones(s, np.float32) for n, s in shapes.items()}, ["y"])
    assert "ignores clip" in judge(case, compiler=compiler_of(onnxruntime)).votes["reference"]


def _gather_elements(index: int) -> FuzzCase:
    x, indices = np.ones((2, 2), np.float32), np.full((2, 2), index)
    node = helper.make_node("GatherElements", ["x", "i"], ["y"])
    return case_of_nodes([node], {"x": x, "i": indices}, ["y"])


def test_results_for_data_that_an_oracle_reports_as_invalid_are_findings() -> None:
    verdict = judge(_gather_elements(3), compiler=compiler_of(lambda *_: TWO))
    assert verdict.votes["reference"] == "answers"
    assert verdict.outcome == "unchecked"
    assert verdict.reason.startswith("onnxruntime raises Fail: GatherElements: ")
    assert verdict.is_finding

    def object_to(*_: object) -> list[np.ndarray]:
        raise judging.Objection("an index is outside of [-2, 1]")

    assert judge(_gather_elements(3), compiler=compiler_of(object_to)).outcome == "undecided"


@pytest.mark.parametrize("variant", ["static", "const"])
def test_divisors_of_zero(variant: str) -> None:
    """A quotient by 0 is a finding; mlc's report none, of constants either."""
    node = helper.make_node("Div", ["a", "b"], ["y"])
    inputs = {"a": np.array([7, 8]), "b": np.array([2, 0])}
    case = replace(case_of_nodes([node], inputs, ["y"]), variant=variant)
    assert judge(case, compiler=compiler_of(lambda *_: [np.array([3, 0])])).outcome == "unchecked"
    verdict = judge(case)
    assert verdict.outcome == "invalid"
    assert "integers divided by 0" in verdict.votes["reference"]


def test_accepted_reports_are_no_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    accepted = objections.Accepted("GatherElements", "(?i)out of range", "planted")
    monkeypatch.setattr(objections, "ACCEPTED", (accepted,))
    verdict = judge(_gather_elements(3), compiler=compiler_of(reference))
    assert verdict.outcome == "agree"


def test_what_an_oracle_lacks_is_no_report_of_invalid_data() -> None:
    lacking = RuntimeError("NOT_IMPLEMENTED : Could not find an implementation for ReduceMean(18)")
    assert not objections.is_objection(lacking)
    assert objections.is_objection(IndexError("index 3 is out of bounds for axis 1 with size 2"))


def test_every_call_is_judged_and_the_static_program_too() -> None:
    def wrong_for(extent: int, *, static: bool) -> judging.Compiler:
        def compiler(model: ModelProto) -> judging.Program:
            dim = model.graph.input[0].type.tensor_type.shape.dim[0]
            is_static = dim.HasField("dim_value")
            return lambda inputs: [
                -inputs["x"] + float(inputs["x"].shape[0] == extent and is_static == static)
            ]

        return compiler

    case = case_of_nodes([helper.make_node("Neg", ["x"], ["y"])], {"x": np.ones(2, np.float32)}, ["y"])
    calls = ({"x": np.ones(3, np.float32)}, {"x": np.ones(4, np.float32)})
    case = replace(case, dims={"x": ["batch"]}, calls=calls).with_inputs(case.inputs)
    assert judge(case, compiler=wrong_for(5, static=False)).outcome == "agree"
    verdict = judge(case, compiler=wrong_for(3, static=False))
    assert (verdict.outcome, verdict.call) == ("mismatch", "batch=3")
    verdict = judge(case, compiler=wrong_for(4, static=True))
    assert (verdict.outcome, verdict.call) == ("mismatch", "static program for batch=4")


def test_results_of_other_types_than_onnx_infers_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "ORACLES", {"reference": lambda *_: [np.zeros((), np.float64)]})
    verdict = judge(chain_case(), compiler=compiler_of(lambda *_: TWO))
    assert verdict.outcome == "unjudged"
    assert "is float64" in verdict.votes["reference"]


def test_overflow_depends_on_the_order() -> None:
    huge = np.array([3e38, 1.0], np.float32)
    nodes = [helper.make_node("Mul", ["x", "x"], ["s"]), helper.make_node("Sub", ["s", "s"], ["y"])]
    case = case_of_nodes(nodes, {"x": huge}, ["y"])
    assert judge(case, compiler=compiler_of(lambda *_: [np.zeros(2, np.float32)])).outcome == "unstable"
    assert judge(case, compiler=compiler_of(lambda *_: [np.array([0, 1], np.float32)])).outcome == "mismatch"


def test_oracles_that_disagree_decide_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    fakes = {"onnxruntime": lambda *_: ONE, "reference": lambda *_: TWO}
    monkeypatch.setattr(judging, "ORACLES", fakes)
    case = case_of_nodes([helper.make_node("Relu", ["x"], ["y"])], {"x": ONE[0]}, ["y"])
    verdict = judge(case, compiler=compiler_of(lambda *_: TWO))
    assert verdict.outcome == "undecided"
    assert "agrees with reference" in verdict.reason
    assert judge(case, compiler=compiler_of(lambda *_: TWO), without=["onnxruntime"]).outcome == "agree"
