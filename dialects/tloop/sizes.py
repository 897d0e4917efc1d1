"""Dynamic sizes in the host program: tensors made of sizes, and sizes read from tensors."""

from collections.abc import Sequence
from math import prod
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.graph.sizes import RELATIONS, Requirement
from mlc.dialects.graph.sizes.text import SizeTextError, parse_size
from mlc.dialects.tloop import views
from mlc.dialects.tloop.dialect import TLoop
from mlc.dialects.verification import verifier


def _texts(op: ext.Operation, name: str) -> list[str] | None:
    entries = list(op.attributes[name])
    return [entry.value for entry in entries] if all(isinstance(e, ir.StringAttr) for e in entries) else None


def _size_values_fault(op: ext.Operation) -> str:
    type_, texts = views.SizeValues(op.operation).result.type, _texts(op, "dims")
    if texts is None:
        return "dims must be texts"
    for text in texts:
        try:
            parse_size(text)
        except SizeTextError as error:
            return str(error)
    if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
        return f"result must be a tensor of known dims, but has type {type_}"
    if not isinstance(type_.element_type, ir.IntegerType):
        return f"result must have integer elements, but has type {type_}"
    return "" if prod(type_.shape) == len(texts) else f"dims has {len(texts)} entries for a {type_}"


def _read_fault(op: ext.Operation) -> str:
    type_, texts = views.ReadSizes(op.operation).operand.type, _texts(op, "names")
    if texts is None:
        return "names must be texts"
    if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape or type_.rank > 1:
        return f"operand must be a vector of known length, but has type {type_}"
    if str(type_.element_type) not in ("i32", "i64"):
        return f"operand must have elements i32 or i64, but has type {type_}"
    return "" if prod(type_.shape) == len(texts) else f"names has {len(texts)} entries for a {type_}"


class SizeValuesOp(TLoop.Operation, name="size_values", traits=[ext.Pure]):
    """A tensor of integers computed from sizes: `dims` are its elements, in row-major order.

    The host program writes them; no kernel computes them.
    """

    FORMS = {"dims": "strings"}

    dims: ir.ArrayAttr
    result: ext.Result[Any]
    verify_invariants = verifier(_size_values_fault, dims=ir.ArrayAttr)


class ReadSizesOp(TLoop.Operation, name="read_sizes"):
    """Names the elements of a vector of integers, up to the end of the block; "" leaves one without a name.
    The host program reads them once the vector is computed."""

    FORMS = {"names": "strings"}

    names: ir.ArrayAttr
    operand: ext.Operand[Any]
    verify_invariants = verifier(_read_fault, names=ir.ArrayAttr)


def _expect_fault(op: ext.Operation) -> str:
    for name in ("left", "right"):
        try:
            parse_size(op.attributes[name].value)
        except SizeTextError as error:
            return str(error)
    if "fault" in op.attributes and not isinstance(op.attributes["fault"], ir.StringAttr):
        return f"fault must be a string, but is {op.attributes['fault']}"
    return _relation_fault(views.Expect(op.operation).relation)


def _relation_fault(relation: str, relations: Sequence[str] = RELATIONS) -> str:
    return "" if relation in relations else f"relation is '{relation}', none of {', '.join(relations)}"


class ExpectOp(TLoop.Operation, name="expect"):
    """Fails the call unless two sizes are "equal", or the left one is 1 or the right one ("broadcast"), or
    "at_least" the right one. `what` names the op that requires it; the optional attribute `fault` is the
    message.

    Stands in the host program before ops that assume it.
    """

    FORMS = {"fault": "string?"}

    left: ir.StringAttr
    right: ir.StringAttr
    relation: ir.StringAttr
    what: ir.StringAttr
    verify_invariants = verifier(
        _expect_fault, left=ir.StringAttr, right=ir.StringAttr, relation=ir.StringAttr, what=ir.StringAttr
    )


def _check_fault(op: ext.Operation) -> str:
    types = [value.type for value in op.operation.operands]
    if any(not isinstance(type_, ir.IndexType) for type_ in types):
        return f"operands must be of type index, but are {', '.join(map(str, types))}"
    return _relation_fault(views.Check(op.operation).relation, (*RELATIONS, "product"))


class CheckOp(TLoop.Operation, name="check"):
    """A `tloop.expect` on integers that the host function has computed, or that 64 bits hold their "product".
    A call that fails reports `message` and the two integers."""

    relation: ir.StringAttr
    message: ir.StringAttr
    left: ext.Operand[Any]
    right: ext.Operand[Any]
    verify_invariants = verifier(_check_fault, relation=ir.StringAttr, message=ir.StringAttr)


def _array(texts: Sequence[str]) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])


def build_size_values(texts: Sequence[str], type_: ir.Type) -> ir.Value:
    """Builds a `tloop.size_values` of these sizes at the current insertion point and location."""
    return ir.Operation.create(
        views.SizeValues.NAME, results=[type_], attributes={"dims": _array(texts)}
    ).result


def build_read_sizes(vector: ir.Value, names: Sequence[str]) -> ir.Operation:
    """Builds a `tloop.read_sizes` at the current insertion point and location."""
    return ir.Operation.create(views.ReadSizes.NAME, operands=[vector], attributes={"names": _array(names)})


def build_expect(requirement: Requirement, what: str) -> ir.Operation:
    """Builds a `tloop.expect` at the current insertion point and location; `what` names the op that needs
    it."""
    texts = {
        "left": str(requirement.left),
        "right": str(requirement.right),
        "relation": requirement.relation,
        "what": what,
    }
    if requirement.fault:
        texts["fault"] = requirement.fault
    attributes = {name: ir.StringAttr.get(text) for name, text in texts.items()}
    return ir.Operation.create(views.Expect.NAME, attributes=attributes)


def build_check(left: ir.Value, right: ir.Value, relation: str, message: str) -> ir.Operation:
    """Builds a `tloop.check` at the current insertion point and location."""
    texts = {"relation": relation, "message": message}
    attributes = {name: ir.StringAttr.get(text) for name, text in texts.items()}
    return ir.Operation.create(views.Check.NAME, operands=[left, right], attributes=attributes)
