"""Runs a case in mlc and in the oracles, and judges the result."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from onnx import ModelProto, TensorShapeProto, helper

from mlc.tools.cases.reasons import failure, refusal
from mlc.tools.fuzz.case import Arrays, FuzzCase
from mlc.tools.fuzz.comparison import difference
from mlc.tools.fuzz.known_faults import wrong_oracles
from mlc.tools.fuzz.objections import is_objection, report_of, valid_objection
from mlc.tools.fuzz.oracle_votes import Vote, vote
from mlc.tools.fuzz.oracles import ORACLES, time_limit
from mlc.tools.fuzz.stability import is_unstable

# agree: mlc computes what the oracles decided. refused: it gives a reason why it does not compile the model.
# undecided: a tie of the oracles. unstable: another result, but rounding changes the oracles' as much.
# unjudged: mlc computes a result, and no oracle supports the model; invalid: neither they nor mlc run it.
FINE = ("agree", "refused", "invalid", "undecided", "unstable", "unjudged")
# mismatch: another result. unchecked: a result for a model or for data that an oracle reports as invalid.
# error: an exception that is no message for users. crash, hang: the process of mlc died, or did not end in
# time.
FINDINGS = ("mismatch", "unchecked", "error", "crash", "hang")
OUTCOMES = (*FINE, *FINDINGS)
# Of several calls the verdict is the first finding, or else the first of these.
_PRECEDENCE = ("refused", "unstable", "undecided", "agree", "unjudged", "invalid")

# Compiles a model to a function from inputs to outputs.
Program = Callable[[Arrays], list[np.ndarray]]
Compiler = Callable[[ModelProto], Program]
_SAYS_WHY = re.compile(
    r"of known (sizes|rank)|known when the model is compiled|(is|are) not supported"
    r"|no memory for|more than there are addresses|value with dynamic dims|bytes of memory"
    r"|is too large|unknown dims of this"
)
# Constants of the model, as an Objection says it of data.
_SAYS_WRONG = re.compile(r"is out of bounds for axis|the divisor.* is 0")


@dataclass(frozen=True)
class Verdict:
    """A verdict on a case. `outcome` is one of OUTCOMES, `reason` a line. `votes`: oracle -> "answers", or
    the reason why it does not. `call`: the program and the sizes of open dims that it is about."""

    outcome: str
    reason: str = ""
    votes: dict[str, str] = field(default_factory=dict)
    call: str = ""

    @property
    def line(self) -> str:
        """Outcome, reason and call."""
        return f"{self.outcome} {self.reason}{f' ({self.call})' if self.call else ''}".rstrip()

    @property
    def is_finding(self) -> bool:
        """Whether the verdict needs an explanation or a repair."""
        return self.outcome in FINDINGS


class Objection(Exception):
    """Raised when a call of mlc refuses the data, because sizes contradict each other, say; or when mlc
    refuses constants as it would data."""


@cache
def _worker_pool() -> Any:
    from mlc.compiler import worker_pool

    return worker_pool(1)


def compile_model(model: ModelProto) -> Program:
    """Compiles a model for one thread, without the cache; one worker process compiles for all cases. Raises
    Objection, and so does the program."""
    import mlc

    try:
        executable = mlc.compile(model, threads=1, cache=False, pool=_worker_pool(), specialise="off")
    except mlc.Error as error:
        raise (Objection(str(error)) if _SAYS_WRONG.search(str(error)) else error) from error

    def run(inputs: Arrays) -> list[np.ndarray]:
        """Calls the program."""
        try:
            return [np.asarray(output) for output in executable(dict(inputs))]
        except ValueError as error:
            raise Objection(str(error)) from error

    return run


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


@dataclass(frozen=True)
class Answers:
    """The answers of the oracles to a case of one call, and their decision. `objection` is the report of an
    oracle that the model or the data are invalid."""

    case: FuzzCase
    decision: Vote
    outputs: dict[str, list[np.ndarray]]
    votes: dict[str, str]
    objection: str = ""

    @property
    def take_too_long(self) -> bool:
        """Whether no oracle answers, and one has exceeded its time."""
        timeouts = [reason for reason in self.votes.values() if reason.startswith("TimeoutError")]
        return self.decision.outcome == "none" and bool(timeouts)


def judge(
    case: FuzzCase,
    at: Callable[[str], None] = lambda _step: None,
    without: Collection[str] = (),
    compiler: Compiler = compile_model,
) -> Verdict:
    """Judges a case: all calls of one program, and, where dims are open, the last call of a program for its
    sizes. `at` is called with the name of each step, oracles in `without` are left out."""
    at("case")
    calls = case.single_calls()
    answers = [_ask_oracles(call, at, without) for call in calls]
    verdict = _judge_program(case, answers, at, compiler)
    if verdict.is_finding or not case.dims or case.variant == "const":
        return verdict
    fixed = _judge_program(calls[-1].with_static_dims(), answers[-1:], at, compiler)
    return replace(fixed, call=f"static program for {_sizes(calls[-1])}") if fixed.is_finding else verdict


def _judge_program(
    case: FuzzCase, answers: Sequence[Answers], at: Callable[[str], None], compiler: Compiler
) -> Verdict:
    """Judges the calls of one program. Calls that take oracles too long are left out."""
    called = [answer for answer in answers if not answer.take_too_long]
    if not called:
        reason = "a model that takes the oracles too long, and may never end"
        return Verdict("unjudged", reason, answers[0].votes)
    at("mlc")
    try:
        program = compiler(case.runnable()[0])
    except Exception as error:
        decided = [answer for answer in called if answer.decision.outcome != "none"]
        return _judge_error(error, (decided or called)[0])
    verdicts = []
    for answer in called:
        at("mlc")
        verdicts.append(replace(_judge_call(program, answer, at), call=_sizes(answer.case)))
    return _worst(verdicts)


def _judge_call(program: Program, answer: Answers, at: Callable[[str], None]) -> Verdict:
    try:
        outputs = program(answer.case.runnable()[1])
    except Exception as error:
        return _judge_error(error, answer)
    at("verdict")
    return _judge_outputs(outputs, answer)


def _worst(verdicts: Sequence[Verdict]) -> Verdict:
    found = [verdict for verdict in verdicts if verdict.is_finding]
    return found[0] if found else min(verdicts, key=lambda verdict: _PRECEDENCE.index(verdict.outcome))


def _sizes(case: FuzzCase) -> str:
    """Returns the sizes of the open dims of a case of one call."""
    sizes = {
        name: extent
        for key, names in case.dims.items()
        for name, extent in zip(names, case.inputs[key].shape, strict=False)
        if name
    }
    return " ".join(f"{name}={extent}" for name, extent in sizes.items())


def _ask_oracles(case: FuzzCase, at: Callable[[str], None], without: Collection[str]) -> Answers:
    """Asks the oracles about a case of one call."""
    model, inputs = case.runnable()
    votes = wrong_oracles(case)
    answers: dict[str, list[np.ndarray]] = {}
    objections: dict[str, str] = {}
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
            if is_objection(error):
                objections[name] = report_of(name, error)
    return Answers(case, vote(answers), answers, votes, valid_objection(case, answers, objections))


def _judge_error(error: Exception, answer: Answers) -> Verdict:
    outcome = answer.decision.outcome
    if isinstance(error, Objection):
        is_doubtful = outcome == "undecided" or (outcome == "decided" and answer.objection)
        found = "invalid" if outcome == "none" else "undecided" if is_doubtful else "error"
        return Verdict(found, failure(error), answer.votes)
    if not _is_refusal(error):
        return Verdict("error", failure(error), answer.votes)
    return Verdict("invalid" if outcome == "none" else "refused", refusal(error), answer.votes)


def _is_refusal(error: Exception) -> bool:
    """Whether an error states that the model cannot be imported, or that its sizes have to be known. A failed
    pass or kernel is no refusal."""
    names = {base.__name__ for base in type(error).__mro__}
    return "ModelError" in names or bool(_SAYS_WHY.search(str(error)))


def _judge_outputs(outputs: Sequence[np.ndarray], answer: Answers) -> Verdict:
    decision, votes, case = answer.decision, answer.votes, answer.case
    if answer.objection:
        return Verdict("unchecked", answer.objection, votes)
    if decision.outcome == "none":
        return Verdict("unjudged", "no oracle runs the model", votes)
    agreeing = [name for name, expected in answer.outputs.items() if not difference(expected, outputs)]
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
