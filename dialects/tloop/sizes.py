"""Sizes in the host program that only a call tells: numbers that are data, and data that are sizes."""

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
    kind, texts = op.operation.results[0].type, _texts(op, "dims")
    if texts is None:
        return "dims must be texts"
    for text in texts:
        try:
            parse_size(text)
        except SizeTextError as error:
            return str(error)
    if not isinstance(kind, ir.RankedTensorType) or not kind.has_static_shape:
        return f"result must be a tensor of known dims, but has type {kind}"
    if not isinstance(kind.element_type, ir.IntegerType):
        return f"result must have integer elements, but has type {kind}"
    return "" if prod(kind.shape) == len(texts) else f"dims has {len(texts)} entries for a {kind}"


def _read_fault(op: ext.Operation) -> str:
    kind, texts = op.operation.operands[0].type, _texts(op, "names")
    if texts is None:
        return "names must be texts"
    if not isinstance(kind, ir.RankedTensorType) or not kind.has_static_shape or kind.rank > 1:
        return f"operand must be a vector of known length, but has type {kind}"
    if str(kind.element_type) not in ("i32", "i64"):
        return f"operand must have elements i32 or i64, but has type {kind}"
    return "" if prod(kind.shape) == len(texts) else f"names has {len(texts)} entries for a {kind}"


class SizeValuesOp(TLoop.Operation, name="size_values", traits=[ext.Pure]):
    """A tensor of integers that follow from sizes: `dims` are its elements, in row-major order.

    The host program writes them; no kernel computes them.
    """

    FORMS = {"dims": "strings"}

    dims: ir.ArrayAttr
    result: ext.Result[Any]
    verify_invariants = verifier(_size_values_fault, dims=ir.ArrayAttr)


class ReadSizesOp(TLoop.Operation, name="read_sizes"):
    """From here on to the end of the block the names stand for the elements of a vector of integers, "" for
    one that has no name. The host program reads them when the vector is there."""

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
    return _relation_fault(op)


def _relation_fault(op: ext.Operation, relations: Sequence[str] = RELATIONS) -> str:
    relation = op.attributes["relation"].value
    return "" if relation in relations else f"relation is '{relation}', none of {', '.join(relations)}"


class ExpectOp(TLoop.Operation, name="expect"):
    """The call fails unless two sizes are "equal", or the left one is 1 or the right one ("broadcast"), or
    "at_least" the right one. `what` says who expects it, and the attribute `fault`, if it is there, what is
    wrong then.

    Stands in the host program before ops that take it for true.
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
    kinds = [value.type for value in op.operation.operands]
    if any(not isinstance(kind, ir.IndexType) for kind in kinds):
        return f"operands must be of type index, but are {', '.join(map(str, kinds))}"
    return _relation_fault(op, (*RELATIONS, "product"))


class CheckOp(TLoop.Operation, name="check"):
    """A `tloop.expect` on numbers that the host function has computed, or that 64 bits hold their "product".
    A call that fails says `message`, and the two numbers."""

    relation: ir.StringAttr
    message: ir.StringAttr
    left: ext.Operand[Any]
    right: ext.Operand[Any]
    verify_invariants = verifier(_check_fault, relation=ir.StringAttr, message=ir.StringAttr)


def _array(texts: Sequence[str]) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])


def build_size_values(texts: Sequence[str], kind: ir.Type) -> ir.Value:
    """A `tloop.size_values` at the current insertion point and location."""
    attributes = {"dims": _array(texts)}
    return ir.Operation.create(views.SizeValues.NAME, results=[kind], attributes=attributes).result


def build_read_sizes(vector: ir.Value, names: Sequence[str]) -> ir.Operation:
    """A `tloop.read_sizes` at the current insertion point and location."""
    return ir.Operation.create(views.ReadSizes.NAME, operands=[vector], attributes={"names": _array(names)})


def build_expect(requirement: Requirement, what: str) -> ir.Operation:
    """A `tloop.expect` at the current insertion point and location; `what` says who expects it."""
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
    """A `tloop.check` at the current insertion point and location."""
    texts = {"relation": relation, "message": message}
    attributes = {name: ir.StringAttr.get(text) for name, text in texts.items()}
    return ir.Operation.create(views.Check.NAME, operands=[left, right], attributes=attributes)
