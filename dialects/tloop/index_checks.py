"""Checks of indices by the host program, before kernels read them."""

from collections.abc import Sequence
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.graph.sizes import Size
from mlc.dialects.graph.sizes.text import SizeTextError, parse_size
from mlc.dialects.tloop import views
from mlc.dialects.tloop.dialect import TLoop
from mlc.dialects.verification import verifier

_ELEMENTS = ("i32", "i64")


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


def build_check_indices(
    indices: ir.Value, sizes: Sequence[ir.Value], axis: int, what: str, front_only: bool
) -> ir.Operation:
    """Builds a `tloop.check_indices` at the current insertion point and location."""
    attributes = _attributes(axis, what, front_only)
    return ir.Operation.create(views.CheckIndices.NAME, operands=[indices, *sizes], attributes=attributes)
