"""What oracles are known to get wrong, and what ONNX leaves open: there they have no vote.

Each line says why. A rule is as narrow as the node and its inputs let it be.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.tools.fuzz import fault_conditions as when
from mlc.tools.fuzz.case import Case
from mlc.tools.fuzz.fault_conditions import Applies, Call

_RUNTIME = ("onnxruntime", "onnxruntime-bodies")
_REFERENCE = ("reference", "reference-bodies")
_ALL = (*_RUNTIME, *_REFERENCE)


@dataclass(frozen=True)
class Fault:
    """`oracles` are wrong about `operators` where `applies` says so, for `cause`."""

    operators: str
    oracles: tuple[str, ...]
    cause: str
    applies: Applies


FAULTS = (
    Fault(
        "RNN GRU LSTM",
        _REFERENCE,
        "the reference ignores clip, activations and their parameters, and sequence_lens",
        when.recurrent_has_settings,
    ),
    Fault(
        "BitShift",
        _ALL,
        "engines differ in counts that are negative or not less than the width",
        when.shift_is_outside,
    ),
    Fault(
        "GridSample",
        _RUNTIME,
        "ONNX Runtime converts coordinates outside the range of integers",
        lambda call: when.is_huge(call.array(1)),
    ),
    Fault(
        "QuantizeLinear",
        _REFERENCE,
        "the reference converts numbers outside the range of integers before it saturates",
        when.quotient_is_huge,
    ),
    Fault(
        "ReverseSequence",
        _ALL,
        "lengths outside the time axis have no meaning",
        when.lengths_are_outside,
    ),
    Fault(
        "TopK",
        _ALL,
        "with sorted = 0 the order of the results is open",
        lambda call: call.attribute("sorted", 1) == 0,
    ),
    Fault(
        "TopK",
        _REFERENCE,
        "the reference takes a negative k for one that counts from the end",
        when.k_is_negative,
    ),
    Fault(
        "SoftmaxCrossEntropyLoss NegativeLogLikelihoodLoss ReduceSum ReduceMean GlobalAveragePool "
        "InstanceNormalization",
        _REFERENCE,
        "the reference sums floats of 16 bits and fewer in their own type",
        when.is_narrow,
    ),
    Fault(
        "LayerNormalization GroupNormalization RMSNormalization",
        _ALL,
        "stash_type lets statistics of f64 be f32, and engines differ in whether they are",
        when.has_type(0, "float64"),
    ),
    Fault(
        "Gelu",
        _REFERENCE,
        "the square root of 2 in the function body is an f32",
        lambda call: when.has_type(0, "float64")(call) and call.attribute("approximate", b"none") == b"none",
    ),
    Fault(
        "LpPool",
        _REFERENCE,
        "the reference pads for auto_pad as if there were no dilations",
        lambda call: (
            call.attribute("auto_pad", b"NOTSET").startswith(b"SAME")
            and any(each != 1 for each in call.attribute("dilations", ()))
        ),
    ),
    Fault(
        "DynamicQuantizeLinear",
        _ALL,
        "of NaN and infinities, and of nothing, the range is open",
        lambda call: when.some_are_not_finite(call) or not all(each.size for each in call.floats()),
    ),
    Fault(
        "LRN",
        _RUNTIME,
        "ONNX Runtime adds to a sum and subtracts from it, so that one infinity or NaN spreads",
        when.some_are_not_finite,
    ),
    Fault(
        "OneHot",
        _REFERENCE,
        "the reference rounds a depth that is no integer up",
        when.depth_is_no_integer,
    ),
    Fault(
        "Clip",
        (*_REFERENCE, "onnxruntime-bodies"),
        "bounds are scalars; the function body and the reference broadcast others",
        when.has_no_scalar(1, 2),
    ),
    Fault(
        "DFT",
        _RUNTIME,
        "length and axis are scalars; ONNX Runtime takes the first of several",
        when.has_no_scalar(1, 2),
    ),
    Fault(
        "MaxPool",
        _REFERENCE,
        "of windows of padding only the largest is open: the reference says 0, ONNX Runtime refuses them",
        when.window_is_padding,
    ),
    Fault(
        "HannWindow HammingWindow BlackmanWindow",
        _ALL,
        "what the cast to an integer cuts off hangs on the last bit of cosines",
        when.window_of_integers,
    ),
)


def wrong_oracles(case: Case) -> dict[str, str]:
    """Oracle -> why it has no vote on the case."""
    return {
        oracle: fault.cause
        for fault in FAULTS
        for node in case.nodes
        if node.op_type in fault.operators.split() and fault.applies(Call(node, case))
        for oracle in fault.oracles
    }
