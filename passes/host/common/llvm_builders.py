"""The ops of a host function's machine-level form: numbers of 64 bits, addresses, calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mlc.bindings import ir, llvm, scf
from mlc.passes.common.constants import i1, i8, i64, i64_attribute

# As an index of `llvm.getelementptr`: it is an operand.
_DYNAMIC = -(2**31)


def pointer() -> ir.Type:
    return ir.Type.parse("!llvm.ptr")


def constant(value: int) -> ir.Value:
    return llvm.ConstantOp(i64(), i64_attribute(value)).result


def allocated(count: int, element: ir.Type) -> ir.Value:
    """Memory of the function's own for so many elements."""
    return llvm.AllocaOp(pointer(), constant(count), ir.TypeAttr.get(element)).result


def offset(base: ir.Value, index: int, element: ir.Type) -> ir.Value:
    """The address of an element."""
    if index >= 2**31:
        return moved(base, constant(index), element)
    indices = ir.DenseI32ArrayAttr.get([index])
    return llvm.GEPOp(pointer(), base, [], indices, ir.TypeAttr.get(element), None).result


def moved(base: ir.Value, index: ir.Value, element: ir.Type) -> ir.Value:
    """The address of an element by its number at run time."""
    indices = ir.DenseI32ArrayAttr.get([_DYNAMIC])
    return llvm.GEPOp(pointer(), base, [index], indices, ir.TypeAttr.get(element), None).result


def call(name: str, *operands: ir.Value, result: ir.Type | None = None) -> ir.Value | None:
    """Calls the function of a name; what it returns, if it has a result of that type."""
    made = ir.Operation.create(
        llvm.Call.NAME,
        results=[] if result is None else [result],
        operands=list(operands),
        attributes={
            "callee": ir.FlatSymbolRefAttr.get(name),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands), 0]),
            "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
        },
    )
    return None if result is None else made.results[0]


@contextmanager
def where(condition: ir.Value) -> Iterator[None]:
    """What is built in the `with` block runs where the condition holds."""
    made = ir.Operation.create(scf.If.NAME, operands=[condition], regions=2)
    with ir.InsertionPoint(made.regions[0].blocks.append()):
        yield
        ir.Operation.create(scf.Yield.NAME)


def load(kind: ir.Type, address: ir.Value) -> ir.Value:
    """Reads a number, or a truth value, which is a byte in memory."""
    read = llvm.LoadOp(_stored(kind), address).result
    return _converted(llvm.Trunc.NAME, read, kind) if _is_truth(kind) else read


def store(value: ir.Value, address: ir.Value) -> None:
    """Writes a number, or a truth value."""
    if _is_truth(value.type):
        value = _converted(llvm.ZExt.NAME, value, _stored(value.type))
    llvm.StoreOp(value, address)


def _is_truth(kind: ir.Type) -> bool:
    return bool(kind == i1())


def _stored(kind: ir.Type) -> ir.Type:
    return i8() if _is_truth(kind) else kind


def _converted(name: str, value: ir.Value, kind: ir.Type) -> ir.Value:
    return ir.Operation.create(name, results=[kind], operands=[value]).result
