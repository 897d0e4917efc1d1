"""Checks of data by the host program, before kernels read them: of indices and divisors."""

from collections.abc import Callable, Sequence
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.graph.sizes import Size
from mlc.dialects.graph.sizes.text import SizeTextError, parse_size
from mlc.dialects.tloop import views
from mlc.dialects.tloop.dialect import TLoop
from mlc.dialects.verification import verifier

_ELEMENTS = ("i32", "i64")
_INTEGERS = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")


def _columns_fault(type_: ir.Type, count: int) -> str:
    """Describes what is wrong with indices into `count` dims; empty if nothing is."""
    shaped = ir.ShapedType(type_)
    if str(shaped.element_type) not in _ELEMENTS:
        return f"indices must have elements i32 or i64, but have type {type_}"
    if count == 0 or (count > 1 and (shaped.rank == 0 or shaped.shape[-1] != count)):
        return f"extents has {count} entries for indices of type {type_}"
    return ""


def _expect_indices_fault(op: ext.Operation) -> str:
    view = views.ExpectIndices(op.operation)
    entries = list(op.attributes["extents"])
    if not all(isinstance(entry, ir.StringAttr) for entry in entries):
        return "extents must be texts"
    for entry in entries:
        try:
            parse_size(entry.value)
        except SizeTextError as error:
            return str(error)
    if not isinstance(view.indices.type, ir.RankedTensorType):
        return f"indices must be a ranked tensor, but have type {view.indices.type}"
    return _columns_fault(view.indices.type, len(entries))


class ExpectIndicesOp(TLoop.Operation, name="expect_indices"):
    """Fails the call unless all indices are in `[least, extent)`, where `least` is `-extent`, or 0 if the
    unit attribute `front_only` is there. `extents` are the sizes of the indexed dims, of which the first is
    `axis`; if there are several, each element of the last dim of the indices has its own. `what` names the op
    that reads the indices, in the message.

    Stands in the host program, before or after the op: kernels clamp indices.
    """

    FORMS = {"extents": "strings", "front_only": "unit"}

    extents: ir.ArrayAttr
    axis: ir.IntegerAttr
    what: ir.StringAttr
    indices: ext.Operand[Any]
    verify_invariants = verifier(
        _expect_indices_fault, extents=ir.ArrayAttr, axis=ir.IntegerAttr, what=ir.StringAttr
    )


def _check_indices_fault(op: ext.Operation) -> str:
    view = views.CheckIndices(op.operation)
    if not isinstance(view.indices.type, ir.MemRefType):
        return f"indices must be a memref, but have type {view.indices.type}"
    return _columns_fault(view.indices.type, len(view.sizes) - view.indices.type.rank)


class CheckIndicesOp(TLoop.Operation, name="check_indices"):
    """A `tloop.expect_indices` on a dense buffer. `sizes` are those of the indices, then the extents."""

    FORMS = {"front_only": "unit"}

    axis: ir.IntegerAttr
    what: ir.StringAttr
    indices: ext.Operand[Any]
    sizes: Sequence[ext.Operand[ir.IndexType]]
    verify_invariants = verifier(_check_indices_fault, axis=ir.IntegerAttr, what=ir.StringAttr)


def _divisors_fault(type_: ir.Type) -> str:
    """Describes what is wrong with divisors; empty if nothing is."""
    if str(ir.ShapedType(type_).element_type) not in _INTEGERS:
        return f"divisors must be integers of 8 to 64 bits, but have type {type_}"
    return ""


def _expect_nonzero_fault(op: ext.Operation) -> str:
    divisors = views.ExpectNonzero(op.operation).divisors
    if not isinstance(divisors.type, ir.RankedTensorType):
        return f"divisors must be a ranked tensor, but have type {divisors.type}"
    return _divisors_fault(divisors.type)


class ExpectNonzeroOp(TLoop.Operation, name="expect_nonzero"):
    """Fails the call if a divisor is 0. `what` names the op that divides, in the message.

    Stands in the host program, before or after the op: kernels give 0 for a divisor of 0.
    """

    what: ir.StringAttr
    divisors: ext.Operand[Any]
    verify_invariants = verifier(_expect_nonzero_fault, what=ir.StringAttr)


def _check_nonzero_fault(op: ext.Operation) -> str:
    view = views.CheckNonzero(op.operation)
    if not isinstance(view.divisors.type, ir.MemRefType):
        return f"divisors must be a memref, but have type {view.divisors.type}"
    if len(view.sizes) != view.divisors.type.rank:
        return f"has {len(view.sizes)} sizes for divisors of type {view.divisors.type}"
    return _divisors_fault(view.divisors.type)


class CheckNonzeroOp(TLoop.Operation, name="check_nonzero"):
    """A `tloop.expect_nonzero` on a dense buffer, which has these sizes."""

    what: ir.StringAttr
    divisors: ext.Operand[Any]
    sizes: Sequence[ext.Operand[ir.IndexType]]
    verify_invariants = verifier(_check_nonzero_fault, what=ir.StringAttr)


# What a host program expects of data, and the checks on buffers that this becomes.
EXPECTATIONS = (ExpectIndicesOp.OPERATION_NAME, ExpectNonzeroOp.OPERATION_NAME)
DATA_CHECKS = (CheckIndicesOp.OPERATION_NAME, CheckNonzeroOp.OPERATION_NAME)


def _attributes(axis: int, what: str, front_only: bool) -> dict[str, ir.Attribute]:
    word = ir.IntegerType.get_signless(64)
    common: dict[str, ir.Attribute] = {
        "axis": ir.IntegerAttr.get(word, axis),
        "what": ir.StringAttr.get(what),
    }
    return common | ({"front_only": ir.UnitAttr.get()} if front_only else {})


def build_expect_indices(
    indices: ir.Value, extents: Sequence[int | Size], axis: int, what: str, front_only: bool
) -> ir.Operation:
    """Builds a `tloop.expect_indices` at the current insertion point and location."""
    texts = ir.ArrayAttr.get([ir.StringAttr.get(str(extent)) for extent in extents])
    attributes = {"extents": texts, **_attributes(axis, what, front_only)}
    return ir.Operation.create(views.ExpectIndices.NAME, operands=[indices], attributes=attributes)


def build_expect_nonzero(divisors: ir.Value, what: str) -> ir.Operation:
    """Builds a `tloop.expect_nonzero` at the current insertion point and location."""
    attributes = {"what": ir.StringAttr.get(what)}
    return ir.Operation.create(views.ExpectNonzero.NAME, operands=[divisors], attributes=attributes)


def build_data_check(
    expectation: ir.Operation,
    buffer: ir.Value,
    sizes: Sequence[int | Size],
    value_of: Callable[[Any], ir.Value],
) -> ir.Operation:
    """Builds the check of one of EXPECTATIONS at the current insertion point and location, on the buffer of
    its operand, which has these sizes. `value_of` gives the value of an integer or a `Size`."""
    indices = views.ExpectIndices.match(expectation)
    extents = () if indices is None else map(parse_size, indices.extents)
    operands = [buffer, *map(value_of, (*sizes, *extents))]
    if indices is None:
        attributes = {"what": ir.StringAttr.get(views.ExpectNonzero(expectation).what)}
        return ir.Operation.create(views.CheckNonzero.NAME, operands=operands, attributes=attributes)
    attributes = _attributes(indices.axis, indices.what, indices.front_only)
    return ir.Operation.create(views.CheckIndices.NAME, operands=operands, attributes=attributes)
