"""What the verifiers of Python-defined ops share: faults as messages at the op."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import ext, ir


def report(op: ext.Operation, message: str) -> bool:
    """Emits `message` as an error at `op`; returns False, the verifiers' word for failure."""
    op.location.emit_error(f"'{op.OPERATION_NAME}' op {message}")
    return False


_KINDS: dict[type[ir.Attribute], str] = {
    ir.ArrayAttr: "an array",
    ir.DenseF64ArrayAttr: "an array<f64: ...>",
    ir.DenseI64ArrayAttr: "an array<i64: ...>",
    ir.FlatSymbolRefAttr: "a symbol",
    ir.IntegerAttr: "an integer",
    ir.StringAttr: "a string",
}


def verifier(
    check: Callable[[ext.Operation], str], **kinds: type[ir.Attribute]
) -> Callable[[ext.Operation], bool]:
    """A `verify_invariants`: the attributes in `kinds` are there and of that kind, and `check(op)` returns no
    message.

    A verifier of ours runs before the one that MLIR derives from the op's fields.
    """

    def verify(self: ext.Operation) -> bool:
        message = _attribute_fault(self, kinds) or check(self)
        return not message or report(self, message)

    return verify


def _attribute_fault(op: ext.Operation, kinds: dict[str, type[ir.Attribute]]) -> str:
    for name, kind in kinds.items():
        if name not in op.attributes:
            return f"{name} is missing"
        try:
            found = op.attributes[name]
        except TypeError:  # the bindings cannot read locations as attributes
            return f"{name} must be {_KINDS[kind]}, but is a location"
        if not isinstance(found, kind):
            return f"{name} must be {_KINDS[kind]}, but is {found}"
    return ""
