"""The op `check`: requirements of operators on dynamic data."""

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
    "A call whose data break a requirement fails: the host program checks before kernels read the result. "
    "GPUs refuse them.",
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
        "passes x on; the call fails unless `truth` is true",
        "x unchanged; the call fails with `message`, which names the op that needs it, if `truth` is false. "
        "No property of x is propagated to the result, so that no rewrite bypasses the check.",
        ("made by the importer for run-time axes, steps, lengths and counts",),
        (OperandSpec("x"), OperandSpec("truth", BOOL, like="")),
        _check,
        (Attribute("message", "str", "the message of a call that fails"),),
    )
)
