"""Known faults of oracles, which have no vote on the nodes concerned.

Each fault has its cause. Its condition is as narrow as the node and its inputs allow.
"""

from __future__ import annotations

from mlc.tools.fuzz import oracle_faults as when
from mlc.tools.fuzz.case import FuzzCase
from mlc.tools.fuzz.oracle_faults import Fault, NodeCall
from mlc.tools.fuzz.unspecified_results import LEFT_OPEN

_RUNTIME = ("onnxruntime", "onnxruntime-bodies")
_REFERENCE = ("reference", "reference-bodies")
_REDUCTIONS = (
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
    "ReduceSumSquare"
)
FAULTS = (
    Fault(
        "RNN GRU LSTM",
        _REFERENCE,
        "the reference ignores clip, activations and their parameters, and sequence_lens",
        when.recurrent_has_settings,
    ),
    Fault(
        "RNN GRU LSTM",
        _RUNTIME,
        "of no steps the final state is the initial one; ONNX Runtime returns 0",
        when.sequence_is_empty,
    ),
    Fault(
        "GridSample",
        _RUNTIME,
        "ONNX Runtime converts coordinates outside the range of integers",
        lambda call: when.is_huge(call.array(1)),
    ),
    Fault(
        "Resize",
        _REFERENCE,
        "the reference drops the imaginary part of complex numbers",
        when.has_type(0, "complex64", "complex128"),
    ),
    Fault(
        "QuantizeLinear",
        _REFERENCE,
        "the reference converts values outside the range of integers before it saturates",
        when.quotient_is_huge,
    ),
    Fault(
        "Div Mod",
        _REFERENCE,
        "the reference gives 0 for integers divided by 0, which ONNX Runtime refuses",
        when.divides_by_zero,
    ),
    Fault(
        "TopK",
        _REFERENCE,
        "the reference takes a negative k for one that counts from the end, and the first of several",
        lambda call: when.k_is_negative(call) or when.has_several(1)(call),
    ),
    Fault(
        "SoftmaxCrossEntropyLoss NegativeLogLikelihoodLoss ReduceSum ReduceMean ReduceLogSum ReduceLogSumExp "
        "ReduceSumSquare ReduceL1 ReduceL2 GlobalAveragePool InstanceNormalization",
        _REFERENCE,
        "the reference sums floats of 16 bits and fewer in their own type",
        when.is_narrow,
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
            and any(dilation != 1 for dilation in call.attribute("dilations", ()))
        ),
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
        "the reference does not cast indices and depths that are no integers to integers",
        when.has_fractions(0, 1),
    ),
    Fault(
        _REDUCTIONS,
        _RUNTIME,
        "axes name each axis once; ONNX Runtime takes one that comes twice for one",
        when.axes_are_twice,
    ),
    Fault(
        _REDUCTIONS,
        _RUNTIME,
        "of nothing ONNX Runtime keeps the dims of 0 that are reduced to 1",
        when.is_empty,
    ),
    Fault(
        "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
        _REFERENCE,
        "the reference takes weights that are no vector of classes",
        when.weights_are_no_vector,
    ),
    Fault(
        "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
        _RUNTIME,
        "the mean of nothing is NaN; ONNX Runtime returns 0",
        when.is_empty,
    ),
    Fault(
        "Concat",
        _RUNTIME,
        "ONNX Runtime leaves out inputs without elements, whatever their dims",
        when.some_are_empty,
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
        "QLinearConv",
        _RUNTIME,
        "ONNX Runtime takes windows without elements where there are no channels",
        when.window_has_no_elements,
    ),
    Fault(
        "NonMaxSuppression",
        _REFERENCE,
        "the reference takes boxes and scores of different batches",
        lambda call: when.first_dims_differ(call, 0, 1),
    ),
    Fault(
        "Loop",
        _REFERENCE,
        "the reference joins scan outputs of several dims along the first one",
        when.states_have_several_dims,
    ),
    Fault(
        "MaxPool",
        _REFERENCE,
        "of windows of padding only the largest is open: the reference returns 0, ONNX Runtime refuses them",
        when.window_is_padding,
    ),
)


def wrong_oracles(case: FuzzCase) -> dict[str, str]:
    """Returns the oracles that have no vote on the case, with the cause."""
    return {
        oracle: fault.cause
        for fault in (*FAULTS, *LEFT_OPEN)
        for node in case.nodes
        if node.op_type in fault.operators.split() and fault.applies(NodeCall(node, case))
        for oracle in fault.oracles
    }
