"""What oracles are known to get wrong, and what ONNX leaves open: there they have no vote.

Each line says why. A rule is as narrow as the node and the inputs of the model let it be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from mlc.tools.fuzz.case import Case
from mlc.tools.fuzz.draws import is_float
from onnx import NodeProto

Applies = Callable[[NodeProto, Case], bool]
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


def _attribute(*names: str) -> Applies:
    return lambda node, _case: any(each.name in names for each in node.attribute)


def _shift_is_outside(node: NodeProto, case: Case) -> bool:
    """A count that is negative or not less than the width, or that only the model knows."""
    counts = case.inputs.get(node.input[1])
    if counts is None:
        return True
    wide = counts.astype(object)
    return bool(((wide < 0) | (wide >= 8 * counts.dtype.itemsize)).any())


def _lengths_are_outside(node: NodeProto, case: Case) -> bool:
    lengths, x = (case.inputs.get(name) for name in (node.input[1], node.input[0]))
    return lengths is None or x is None or bool((lengths < 0).any() or (lengths > max(x.shape, default=0)).any())


def _is_narrow(_node: NodeProto, case: Case) -> bool:
    """Floats of 16 bits and fewer."""
    return any(is_float(array.dtype) and array.dtype.itemsize < 4 for array in case.inputs.values())


def _is_double(_node: NodeProto, case: Case) -> bool:
    return any(array.dtype == np.float64 for array in case.inputs.values())


def _floats_are_huge(_node: NodeProto, case: Case) -> bool:
    """Floats of some input, also of an earlier node, near or outside the range of integers, or NaN."""
    return any(is_float(array.dtype) and not _largest(array) <= 1e6 for array in case.inputs.values())


def _largest(array: np.ndarray) -> float:
    return float(np.max(np.abs(array.astype(np.float64)), initial=0.0))


def _some_are_not_finite(_node: NodeProto, case: Case) -> bool:
    floats = [array for array in case.inputs.values() if is_float(array.dtype)]
    return not all(np.isfinite(array.astype(np.float64)).all() for array in floats)


FAULTS = (
    Fault(
        "RNN GRU LSTM",
        _REFERENCE,
        "the reference ignores clip, activations and their parameters, and sequence_lens",
        lambda node, case: (
            _attribute("clip", "activations", "activation_alpha", "activation_beta")(node, case)
            or (len(node.input) > 4 and bool(node.input[4]))
        ),
    ),
    Fault(
        "BitShift",
        _ALL,
        "engines differ in counts that are negative or not less than the width",
        _shift_is_outside,
    ),
    Fault(
        "GridSample",
        _RUNTIME,
        "ONNX Runtime converts coordinates outside the range of integers",
        _floats_are_huge,
    ),
    Fault(
        "QuantizeLinear",
        _REFERENCE,
        "the reference converts numbers outside the range of integers before it saturates",
        _floats_are_huge,
    ),
    Fault(
        "ReverseSequence",
        _ALL,
        "lengths outside the time axis have no meaning",
        _lengths_are_outside,
    ),
    Fault(
        "TopK",
        _ALL,
        "with sorted = 0 the order of the results is open",
        lambda node, _case: any(each.name == "sorted" and not each.i for each in node.attribute),
    ),
    Fault(
        "SoftmaxCrossEntropyLoss NegativeLogLikelihoodLoss ReduceSum ReduceMean GlobalAveragePool "
        "InstanceNormalization",
        _REFERENCE,
        "the reference sums floats of 16 bits and fewer in their own type",
        _is_narrow,
    ),
    Fault(
        "LayerNormalization GroupNormalization RMSNormalization",
        _ALL,
        "stash_type lets statistics of f64 be f32, and engines differ in whether they are",
        _is_double,
    ),
    Fault(
        "Gelu",
        _REFERENCE,
        "the square root of 2 in the function body is an f32",
        _is_double,
    ),
    Fault(
        "LpPool",
        _REFERENCE,
        "the reference pads for auto_pad as if there were no dilations",
        _attribute("dilations"),
    ),
    Fault(
        "DynamicQuantizeLinear",
        _ALL,
        "of NaN, and of nothing, the range is open",
        lambda node, case: (
            _some_are_not_finite(node, case) or not all(each.size for each in case.inputs.values())
        ),
    ),
    Fault(
        "LRN",
        _RUNTIME,
        "ONNX Runtime adds to a sum and subtracts from it, so that one infinity or NaN spreads",
        _some_are_not_finite,
    ),
    Fault(
        "OneHot",
        _REFERENCE,
        "the reference rounds a depth that is no integer up",
        lambda node, case: is_float(case.inputs.get(node.input[1], np.zeros(0)).dtype),
    ),
)


def wrong_oracles(case: Case) -> dict[str, str]:
    """Oracle -> why it has no vote on the case."""
    return {
        oracle: fault.cause
        for fault in FAULTS
        for node in case.nodes
        if node.op_type in fault.operators.split() and fault.applies(node, case)
        for oracle in fault.oracles
    }
