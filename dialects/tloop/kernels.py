"""Launches of kernels by the host program.

IRDL allows a variadic operand only where all its values have one type, so that launches declare a fixed
number of optional operands instead.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.tloop import views
from mlc.dialects.tloop.dialect import TLoop
from mlc.dialects.verification import verifier

OPERAND_LIMIT = 24
RESULT_LIMIT = 4
_OPERANDS = {f"operand_{index}": ext.Operand[Any] | None for index in range(OPERAND_LIMIT)}
_RESULTS = {f"result_{index}": ext.Result[Any] | None for index in range(RESULT_LIMIT)}


def _launch_fault(op: ext.Operation) -> str:
    for field, values in (("operand", op.operation.operands), ("result", op.operation.results)):
        for index, value in enumerate(values):
            if not isinstance(value.type, ir.RankedTensorType):
                return f"{field} #{index} must be a ranked tensor, but has type {value.type}"
    return ""


def _launch_into_fault(op: ext.Operation) -> str:
    buffers, _ = buffers_and_dims(op.operation)
    outputs = views.LaunchInto(op.operation).num_outputs
    if not 0 < outputs <= len(buffers):
        return f"num_outputs is {outputs}, but the launch has {len(buffers)} buffers"
    for index, value in enumerate(buffers):
        if not isinstance(value.type, ir.MemRefType):
            return f"operand #{index} must be a memref, but has type {value.type}"
    return ""


def buffers_and_dims(launch: ir.Operation) -> tuple[list[ir.Value], list[ir.Value]]:
    """Returns the operands of a `tloop.launch_into`: buffers, and the values of the kernel's dynamic dims."""
    view = views.LaunchInto(launch)
    return view.operands, view.dims


class LaunchOp(TLoop.Operation, name="launch", traits=[ext.Pure]):
    """Runs a kernel on tensors.

    `kernel` names a private `func.func` with the unit attribute `tloop.kernel`; operands and results agree
    with its signature. Value semantics: equal launches may be merged, unused ones removed.
    """

    __annotations__ = {"kernel": ir.FlatSymbolRefAttr, **_OPERANDS, **_RESULTS}
    verify_invariants = verifier(_launch_fault)


class LaunchIntoOp(TLoop.Operation, name="launch_into"):
    """Runs a kernel on buffers: inputs first, then outputs (the kernel contract's order).

    The planner makes it from `tloop.launch`. The last `num_outputs` buffers are written, the others only
    read. After them are the dynamic dims.
    """

    __annotations__ = {
        "kernel": ir.FlatSymbolRefAttr,
        "num_outputs": ir.IntegerAttr,
        **_OPERANDS,
        "dims": Sequence[ext.Operand[ir.IndexType]],
    }

    verify_invariants = verifier(_launch_into_fault, num_outputs=ir.IntegerAttr)


def _transfer_fault(op: ext.Operation) -> str:
    source, result = views.Transfer(op.operation).operand.type, views.Transfer(op.operation).copy.type
    return "" if source == result else f"result must be of the operand's type {source}, but is a {result}"


class TransferOp(TLoop.Operation, name="transfer", traits=[ext.Pure]):
    """The operand in the memory of another device, `to`; "host" is the processor's. In a GPU's program, "cpu"
    is the processor's and "gpu" the GPU's.

    Stands in the host program between launches of kernels on different devices. The planner makes a copy of
    it.
    """

    to: ir.StringAttr
    operand: ext.Operand[Any]
    copy: ext.Result[Any]
    verify_invariants = verifier(_transfer_fault, to=ir.StringAttr)


def _row_fault(op: ext.Operation) -> str:
    (source, iteration), row = op.operation.operands, views.Row(op.operation).row.type
    if not isinstance(source.type, ir.RankedTensorType) or not source.type.rank:
        return f"operand must be a tensor with rows, but has type {source.type}"
    if str(iteration.type) != "tensor<i64>":
        return f"iteration must be a tensor<i64>, but has type {iteration.type}"
    if not isinstance(row, ir.RankedTensorType) or row.element_type != source.type.element_type:
        return f"row must be a tensor of the operand's elements, but is a {row}"
    if row.has_static_shape and source.type.has_static_shape:
        wanted = prod(list(source.type.shape)[1:])
        if prod(row.shape) != wanted:
            return f"row must have the {wanted} elements of a row of {source.type}, but is a {row}"
    return ""


class RowOp(TLoop.Operation, name="row", traits=[ext.Pure]):
    """Row `first + step * iteration` of the operand along its first dim; the last row if that is out of
    range.

    Stands in the body of a loop of the host program, whose iteration it takes: a part of the operand's
    buffer, at another offset in each iteration. No kernel computes it.
    """

    first: ir.IntegerAttr
    step: ir.IntegerAttr
    operand: ext.Operand[Any]
    iteration: ext.Operand[Any]
    row: ext.Result[Any]
    verify_invariants = verifier(_row_fault, first=ir.IntegerAttr, step=ir.IntegerAttr)


def _segments(count: int, limit: int) -> ir.Attribute:
    return ir.DenseI32ArrayAttr.get([int(index < count) for index in range(limit)])


def build_launch(kernel: str, operands: Sequence[ir.Value], results: Sequence[ir.Type]) -> ir.Operation:
    """Builds a `tloop.launch` at the current insertion point and location."""
    return ir.Operation.create(
        views.Launch.NAME,
        results=list(results),
        operands=list(operands),
        attributes={
            "kernel": ir.FlatSymbolRefAttr.get(kernel),
            "operandSegmentSizes": _segments(len(operands), OPERAND_LIMIT),
            "resultSegmentSizes": _segments(len(results), RESULT_LIMIT),
        },
    )


def build_launch_into(
    kernel: str, inputs: Sequence[ir.Value], outputs: Sequence[ir.Value], dims: Sequence[ir.Value] = ()
) -> ir.Operation:
    """Builds a `tloop.launch_into` at the current insertion point and location."""
    operands, word = [*inputs, *outputs, *dims], ir.IntegerType.get_signless(64)
    buffers = [*(int(index < len(inputs) + len(outputs)) for index in range(OPERAND_LIMIT)), len(dims)]
    return ir.Operation.create(
        views.LaunchInto.NAME,
        operands=operands,
        attributes={
            "kernel": ir.FlatSymbolRefAttr.get(kernel),
            "num_outputs": ir.IntegerAttr.get(word, len(outputs)),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get(buffers),
        },
    )
