"""check: what definitions need of data that only a call tells."""

from __future__ import annotations

from mlc.dialects.graph.elements import BOOL
from mlc.dialects.graph.shape_rules import check_rank
from mlc.dialects.graph.spec import (
    Attribute,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    ShapeError,
    define,
    define_family,
)

FAMILY = define_family(
    "checks",
    "What is wrong with a call's data ends the call: the host program looks before kernels read what a check "
    "gives. GPUs refuse them.",
)


def _check(call: OpCall) -> GraphTensor:
    check_rank("truth", call.truth, 0)
    if not call.message:
        raise ShapeError("message", "is empty")
    return GraphTensor(call.x.shape, call.x.element)


define(
    OpSpec(
        "check",
        FAMILY,
        "x, of a call that fails unless `truth` is true",
        "x as it is; the call fails with `message`, which names who expects it, where `truth` is false. What "
        "follows from x alone is not known of the result, so that nothing gets around the check.",
        ("made by the importer for run-time axes, steps, lengths and counts",),
        (OperandSpec("x"), OperandSpec("truth", BOOL, like="")),
        _check,
        (Attribute("message", "str", "what a call that fails says"),),
    )
)
