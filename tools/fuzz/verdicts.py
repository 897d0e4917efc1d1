"""Runs a case in mlc and in the oracles, and judges the result."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from onnx import ModelProto, TensorShapeProto, helper

from mlc.tools.cases.reasons import failure, refusal
from mlc.tools.fuzz.case import Arrays, FuzzCase
from mlc.tools.fuzz.comparison import difference
from mlc.tools.fuzz.known_faults import wrong_oracles
from mlc.tools.fuzz.oracle_votes import Vote, vote
from mlc.tools.fuzz.oracles import ORACLES, time_limit
from mlc.tools.fuzz.stability import is_unstable

# agree: mlc computes what the oracles decided. refused: it gives a reason why it does not compile the model.
# undecided: a tie of the oracles. unstable: another result, but rounding changes the oracles' as much.
# unjudged: mlc computes a result, and every oracle refuses the model; invalid: so does mlc.
FINE = ("agree", "refused", "invalid", "undecided", "unstable", "unjudged")
# mismatch: another result. error: an exception that is no message for users. crash, hang: the process of mlc
# died, or did not end in time.
FINDINGS = ("mismatch", "error", "crash", "hang")
OUTCOMES = (*FINE, *FINDINGS)

Compiler = Callable[[ModelProto, Arrays], list[np.ndarray]]
_SAYS_WHY = re.compile(
    r"of known (sizes|rank)|known when the model is compiled|(is|are) not supported"
    r"|no memory for|more than there are addresses|value with dynamic dims|bytes of memory"
    r"|is too large|unknown dims of this"
)


@dataclass(frozen=True)
class Verdict:
    """A verdict on a case. `outcome` is one of OUTCOMES, `reason` a line. `votes`: oracle -> "answers", or
    the reason why it does not."""

    outcome: str
    reason: str = ""
    votes: dict[str, str] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """Outcome and reason."""
        return f"{self.outcome} {self.reason}".rstrip()

    @property
    def is_finding(self) -> bool:
        """Whether the verdict needs an explanation or a repair."""
        return self.outcome in FINDINGS


class Objection(Exception):
    """Raised when a call of mlc refuses the data, because sizes contradict each other, say."""


@cache
def _worker_pool() -> Any:
    from mlc.compiler import worker_pool

    return worker_pool(1)


def compile_and_run(model: ModelProto, inputs: Arrays) -> list[np.ndarray]:
    """Compiles a model and runs it on one thread, without the cache; one worker process compiles for all
    cases. Raises Objection."""
    import mlc

    executable = mlc.compile(model, threads=1, cache=False, pool=_worker_pool())
    try:
        return [np.asarray(output) for output in executable(dict(inputs))]
    except ValueError as error:
        raise Objection(str(error)) from error


# Messages of engines about data that ONNX does not allow, and about shapes that contradict each other.
_OBJECTS = re.compile(r"InvalidArgument|[Oo]ut of (data )?(bounds|range)|ShapeInferenceError|IndexError")


def _apply_objections(objections: Sequence[str], decision: Vote) -> Vote:
    """Returns an undecided vote if an engine objects to the model or its data."""
    if not objections or decision.outcome != "decided":
        return decision
    return Vote("undecided", reason=f"{objections[0]} says that the data are wrong")


def other_types(model: ModelProto, outputs: Sequence[np.ndarray]) -> str:
    """Describes the first of an oracle's results whose type or shape is not the one that ONNX infers, "" if
    there is none. The oracle is then wrong about the operator, as the reference is where NumPy promotes."""
    for info, output in zip(model.graph.output, outputs, strict=False):
        tensor_type = info.type.tensor_type
        if tensor_type.elem_type and helper.np_dtype_to_tensor_dtype(output.dtype) != tensor_type.elem_type:
            return f"'{info.name}' is {output.dtype}, which ONNX's shape inference says it is not"
        dims = tensor_type.shape.dim if tensor_type.HasField("shape") else None
        if dims is not None and (len(dims) != output.ndim or not all(map(_fits, dims, output.shape))):
            return f"'{info.name}' is {list(output.shape)}, which ONNX's shape inference says it is not"
    return ""


def _fits(dim: TensorShapeProto.Dimension, extent: int) -> bool:
    return not dim.HasField("dim_value") or dim.dim_value == extent


def judge(
    case: FuzzCase,
    at: Callable[[str], None] = lambda _step: None,
    without: Collection[str] = (),
    compiler: Compiler = compile_and_run,
) -> Verdict:
    """Judges a case. `at` is called with the name of each step, oracles in `without` are left out."""
    at("case")
    model, inputs = case.runnable()
    votes = wrong_oracles(case)
    answers, objections = _ask_oracles(case, at, without, votes)
    decision = _apply_objections(objections, vote(answers))
    if decision.outcome == "none" and any(answer.startswith("TimeoutError") for answer in votes.values()):
        return Verdict("unjudged", "a model that takes the oracles too long, and may never end", votes)
    at("mlc")
    try:
        outputs = compiler(model, dict(inputs))
    except Exception as error:
        return _judge_error(error, decision, votes)
    at("verdict")
    return _judge_outputs(outputs, decision, answers, votes, case)


def _ask_oracles(
    case: FuzzCase, at: Callable[[str], None], without: Collection[str], votes: dict[str, str]
) -> tuple[dict[str, list[np.ndarray]], list[str]]:
    """Returns the answers of the oracles and those that object to the case; adds to `votes`."""
    model, inputs = case.runnable()
    answers: dict[str, list[np.ndarray]] = {}
    objections: list[str] = []
    for name, oracle in ORACLES.items():
        if name in votes:
            continue
        if name in without:
            votes[name] = "crashed"
            continue
        at(name)
        try:
            with time_limit():
                outputs = oracle(model, dict(inputs))
            votes[name] = other_types(case.model, outputs) or "answers"
            if votes[name] == "answers":
                answers[name] = outputs
        except Exception as error:
            votes[name] = failure(error)
            objections += [name] if _OBJECTS.search(f"{type(error).__name__}: {error}") else []
    return answers, objections


def _judge_error(error: Exception, decision: Vote, votes: dict[str, str]) -> Verdict:
    if isinstance(error, Objection):
        outcome = {"none": "invalid", "undecided": "undecided"}.get(decision.outcome, "error")
        return Verdict(outcome, failure(error), votes)
    if not _is_refusal(error):
        return Verdict("error", failure(error), votes)
    return Verdict("invalid" if decision.outcome == "none" else "refused", refusal(error), votes)


def _is_refusal(error: Exception) -> bool:
    """Whether an error states that the model cannot be imported, or that its sizes have to be known. A failed
    pass or kernel is no refusal."""
    names = {base.__name__ for base in type(error).__mro__}
    return "ModelError" in names or bool(_SAYS_WHY.search(str(error)))


def _judge_outputs(
    outputs: Sequence[np.ndarray],
    decision: Vote,
    answers: dict[str, list[np.ndarray]],
    votes: dict[str, str],
    case: FuzzCase,
) -> Verdict:
    if decision.outcome == "none":
        return Verdict("unjudged", "no oracle runs the model", votes)
    agreeing = [name for name, answer in answers.items() if not difference(answer, outputs)]
    if decision.outcome == "undecided":
        return Verdict(
            "undecided", f"mlc agrees with {', '.join(agreeing) or 'none'}: {decision.reason}", votes
        )
    text = difference(decision.outputs, outputs)
    if not text:
        return Verdict("agree", "", votes)
    # The model before its variant, so that inputs that became constants are perturbed as well.
    if len(outputs) == len(decision.outputs) and is_unstable(
        ORACLES[decision.winners[0]], case.model, case.inputs, decision.outputs, outputs
    ):
        return Verdict("unstable", text, votes)
    return Verdict("mismatch", f"{text} (by {', '.join(decision.winners)})", votes)
