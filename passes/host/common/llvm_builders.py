"""Builders of the ops of a host function's machine-level form: integers of 64 bits, addresses, calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mlc.bindings import ir, llvm, scf
from mlc.passes.common.constants import i1, i8, i64, i64_attribute

# The operands and results of the runtime's functions (mlc_runtime.h). Others are called like kernels.
RUNTIME = {
    "mlc_host_allocate": ("i64", "ptr"),
    "mlc_host_release": ("ptr", "void"),
    "mlc_host_output": ("i64, i64, ptr, i64", "ptr"),
    "mlc_host_too_large": ("i64, i64, ptr", "void"),
    "mlc_host_fail": ("i64", "void"),
    "mlc_host_mismatch": ("i64, i64, i64", "void"),
    "mlc_transfer_start": ("ptr, ptr, ptr, i64", "void"),
    "mlc_transfer_wait": ("ptr", "void"),
}
KERNEL = ("ptr, ptr", "void")
# An index of `llvm.getelementptr` that is an operand.
_DYNAMIC = -(2**31)


def pointer() -> ir.Type:
    """The type of pointers."""
    return ir.Type.parse("!llvm.ptr")


def constant(value: int) -> ir.Value:
    """A constant of type i64."""
    return llvm.ConstantOp(i64(), i64_attribute(value)).result


def allocate_on_stack(count: int, element: ir.Type) -> ir.Value:
    """Allocates memory for `count` elements on the stack."""
    return llvm.AllocaOp(pointer(), constant(count), ir.TypeAttr.get(element)).result


def offset(base: ir.Value, index: int, element: ir.Type) -> ir.Value:
    """The address of the element at a static index."""
    if index >= 2**31:
        return element_address(base, constant(index), element)
    indices = ir.DenseI32ArrayAttr.get([index])
    return llvm.GEPOp(pointer(), base, [], indices, ir.TypeAttr.get(element), None).result


def element_address(base: ir.Value, index: ir.Value, element: ir.Type) -> ir.Value:
    """The address of the element at a dynamic index."""
    indices = ir.DenseI32ArrayAttr.get([_DYNAMIC])
    return llvm.GEPOp(pointer(), base, [index], indices, ir.TypeAttr.get(element), None).result


def call(name: str, *operands: ir.Value, result: ir.Type | None = None) -> ir.Value | None:
    """Calls the function of a name; returns its result, if it has one of type `result`."""
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
    """Builds the ops of the `with` block in an `scf.if` on the condition."""
    made = ir.Operation.create(scf.If.NAME, operands=[condition], regions=2)
    with ir.InsertionPoint(made.regions[0].blocks.append()):
        yield
        ir.Operation.create(scf.Yield.NAME)


def load(type_: ir.Type, address: ir.Value) -> ir.Value:
    """Reads a scalar; a boolean is a byte in memory."""
    read = llvm.LoadOp(_memory_type(type_), address).result
    return _convert(llvm.Trunc.NAME, read, type_) if type_ == i1() else read


def store(value: ir.Value, address: ir.Value) -> None:
    """Writes a scalar; a boolean becomes a byte."""
    if value.type == i1():
        value = _convert(llvm.ZExt.NAME, value, i8())
    llvm.StoreOp(value, address)


def _memory_type(type_: ir.Type) -> ir.Type:
    return i8() if type_ == i1() else type_


def _convert(name: str, value: ir.Value, target: ir.Type) -> ir.Value:
    return ir.Operation.create(name, results=[target], operands=[value]).result
