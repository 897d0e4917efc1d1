"""The `tloop` dialect: kernels, their launches, and the schedules that shape their loops."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import ext, ir


class TLoop(ext.Dialect, name="tloop"):
    """Kernels, launches and schedules."""


class BlockType(TLoop.Type, name="block"):
    """A handle to a computation (a structured op) of the kernel that a schedule transforms.

    After a step that clones the computation (peeling, tiling with a remainder) the handle stands for all its
    copies.
    """


class LoopType(TLoop.Type, name="loop"):
    """A handle to a loop of the kernel that a schedule transforms.

    After a step that clones the loop the handle stands for all its copies.
    """


class ValueType(TLoop.Type, name="value"):
    """A number that a schedule samples, such as a tile size.

    `tloop-sample-schedules` decides it; the decision is an attribute of the op that samples.
    """


def report(op: ext.Operation, message: str) -> bool:
    """Emits `message` as an error at `op`; returns False, the verifiers' word for failure."""
    op.location.emit_error(f"'{op.OPERATION_NAME}' op {message}")
    return False


_KINDS: dict[type[ir.Attribute], str] = {
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
