"""Reports of oracles that a model or its data are invalid.

mlc has to report it too: results for such a case are a finding. `ACCEPTED` lists reports of ONNX Runtime with
which mlc need not agree, with the causes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from mlc.tools.fuzz.case import FuzzCase

# What an oracle lacks says nothing about the model: types, operators, opsets, memory.
_LACKS = re.compile(
    r"NotImplemented|NOT_IMPLEMENTED|No Op registered|not implemented|unsupported|not supported|Refused"
    r"|Unsupported|NoSuchFile|bad allocation|MemoryError|TimeoutError|Type Error: Type"
    r"|Invalid tensor data type|[Oo]nly supports? |under development|[Uu]nimplemented|does not support"
)
# Messages about data that ONNX does not allow, and about shapes that contradict each other.
_OBJECTS = re.compile(
    r"InvalidArgument|[Oo]ut of (data )?(bounds|range)|ShapeInferenceError|IndexError|RuntimeException"
    r"|Integer (division|modulo) by zero"
)
# The operator in a message of ONNX Runtime, and how many characters of the message's end are reported.
_NODE = re.compile(r"(?:running |Op \()(\w+)")
_LONGEST = 160


@dataclass(frozen=True)
class Accepted:
    """Reports that match `message` about a model with one of `operators`, divided by spaces, are no findings,
    due to `cause`."""

    operators: str
    message: str
    cause: str


ACCEPTED: tuple[Accepted, ...] = (
    Accepted(
        "Scan Loop If",
        "Can't merge shape info",
        "mlc warns where a body declares a shape that its results lack",
    ),
    Accepted("DeformConv", "pads must not contain negative", "negative pads crop the image, as Conv's do"),
    Accepted(
        "TreeEnsemble",
        "must have same type as input",
        "thresholds take the type that features are compared in",
    ),
    Accepted(
        "SoftmaxCrossEntropyLoss",
        "Product cannot be 0 in combination with -1",
        "ONNX Runtime reshapes to [0, -1] in the function body, and mlc has a rule",
    ),
    Accepted(
        "HammingWindow HannWindow BlackmanWindow MelWeightMatrix STFT DFT",
        "must be (greater than 0|scalar)",
        "a window of no elements is empty, and a tensor of one element is taken for a scalar",
    ),
    Accepted(
        "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp"
        " ReduceSumSquare",
        "out of bounds for array of dimension 0",
        "a scalar is its reduction along any axes that are read at run time, as in ONNX Runtime",
    ),
    Accepted(
        "Split",
        "exceeds the remaining size of the selected axis, 0",
        "equal parts of num_outputs may leave the last ones empty",
    ),
    Accepted(
        "If",
        r"Dimension of input \d+ must be 1 instead",
        "exporters squeeze a dim in a branch that is taken only where it is 1",
    ),
    Accepted(
        "Unique",
        "index .* out of bounds for axis 0",
        "without an axis the reference takes rows of x by indices of its elements",
    ),
    Accepted("TfIdfVectorizer", "with B > 0", "a batch of no rows has no counts, and its size is dynamic"),
)


def is_objection(error: BaseException) -> bool:
    """Whether an oracle's error reports that the model or its data are invalid."""
    text = f"{type(error).__name__}: {error}"
    return bool(_OBJECTS.search(text)) and not _LACKS.search(text)


def report_of(name: str, error: BaseException) -> str:
    """Returns a line about what an oracle reports: the exception, the node, and the end of the message, where
    ONNX Runtime states the cause."""
    text = " ".join(str(error).split())
    node = _NODE.search(text)
    return f"{name} raises {type(error).__name__}: {f'{node[1]}: ' if node else ''}{text[-_LONGEST:]}"


def valid_objection(case: FuzzCase, answers: Collection[str], objections: Mapping[str, str]) -> str:
    """Returns the first report that counts, "" if there is none. The reference's count where ONNX Runtime
    does not answer: it lacks checks, and has errors that ONNX Runtime has not. Those of function bodies count
    where ONNX Runtime's kernels do not answer: bodies take fewer shapes than operators."""
    operators = {node.op_type for node in case.nodes}
    for name, message in objections.items():
        if name.startswith("reference") and any(answer.startswith("onnxruntime") for answer in answers):
            continue
        if name.endswith("-bodies") and "onnxruntime" in answers:
            continue
        if not any(_covers(accepted, operators, message) for accepted in ACCEPTED):
            return message
    return ""


def _covers(accepted: Accepted, operators: AbstractSet[str], message: str) -> bool:
    return bool(operators & set(accepted.operators.split()) and re.search(accepted.message, message))
