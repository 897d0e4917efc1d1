"""Helpers of the verifiers of Python-defined ops: faults as messages at the op."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import ext, ir


def report(op: ext.Operation, message: str) -> bool:
    """Emits `message` as an error at `op`; returns False, which signals failure."""
    op.location.emit_error(f"'{op.OPERATION_NAME}' op {message}")
    return False


_ATTRIBUTE_TYPES: dict[type[ir.Attribute], str] = {
    ir.ArrayAttr: "an array",
    ir.DenseF64ArrayAttr: "an array<f64: ...>",
    ir.DenseI64ArrayAttr: "an array<i64: ...>",
    ir.FlatSymbolRefAttr: "a symbol",
    ir.IntegerAttr: "an integer",
    ir.StringAttr: "a string",
}


def verifier(
    check: Callable[[ext.Operation], str], **types: type[ir.Attribute]
) -> Callable[[ext.Operation], bool]:
    """Returns a `verify_invariants`: the attributes in `types` are present and of these types, and
    `check(op)` returns no message.

    It runs before the verifier that MLIR derives from the op's fields.
    """

    def verify_invariants(self: ext.Operation) -> bool:
        message = _attribute_fault(self, types) or check(self)
        return not message or report(self, message)

    return verify_invariants


def _attribute_fault(op: ext.Operation, types: dict[str, type[ir.Attribute]]) -> str:
    for name, type_ in types.items():
        if name not in op.attributes:
            return f"{name} is missing"
        try:
            found = op.attributes[name]
        except TypeError:  # the bindings cannot read locations as attributes
            return f"{name} must be {_ATTRIBUTE_TYPES[type_]}, but is a location"
        if not isinstance(found, type_):
            return f"{name} must be {_ATTRIBUTE_TYPES[type_]}, but is {found}"
    return ""
