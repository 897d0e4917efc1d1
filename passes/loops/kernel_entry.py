"""kernel-entry: kernels on memrefs get the signature of the kernel contract, `void k(void **buffers,
int64_t *dims)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import ClassVar

from mlc.bindings import builtin, func, ir, llvm
from mlc.passes.base import Pass, PassError
from mlc.passes.common.constants import i64, i64_attribute
from mlc.passes.common.kernel_functions import DIMS, IN_PLACE, MARK, SIZES, is_kernel

IMPLEMENTATION = "__body"


def descriptor_type(type_: ir.MemRefType) -> ir.Type:
    """Returns LLVM's struct for a ranked memref: allocated and aligned pointer, offset, sizes, strides."""
    arrays = f", array<{type_.rank} x i64>, array<{type_.rank} x i64>" if type_.rank else ""
    return ir.Type.parse(f"!llvm.struct<(ptr, ptr, i64{arrays})>")


def row_major_strides(shape: list[int]) -> list[int]:
    """Returns the strides of a dense row-major array, in elements."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return strides[::-1]


def _llvm_constant(value: int) -> ir.Value:
    return llvm.ConstantOp(i64(), i64_attribute(value)).result


def make_memref(pointer: ir.Value, type_: ir.MemRefType, shape: Sequence[ir.Value]) -> ir.Value:
    """Builds a memref over dense row-major data at `pointer`, with the dims `shape`."""
    value = llvm.UndefOp(descriptor_type(type_)).result
    fields: list[tuple[list[int], ir.Value]] = [([0], pointer), ([1], pointer), ([2], _llvm_constant(0))]
    for axis, (extent, stride) in enumerate(zip(shape, _strides(type_, shape), strict=True)):
        fields += [([3, axis], extent), ([4, axis], stride)]
    for position, part in fields:
        value = llvm.InsertValueOp(value, part, ir.DenseI64ArrayAttr.get(position)).result
    return ir.Operation.create(builtin.UnrealizedConversionCast.NAME, [type_], [value]).results[0]


def _strides(type_: ir.MemRefType, shape: Sequence[ir.Value]) -> list[ir.Value]:
    if type_.has_static_shape:
        return [_llvm_constant(stride) for stride in row_major_strides(list(type_.shape))]
    strides = [_llvm_constant(1)]
    for extent in list(shape)[:0:-1]:
        strides.append(llvm.MulOp(strides[-1], extent, llvm.IntegerOverflowFlags.nsw).result)
    return strides[::-1] if type_.rank else []


def split_kernel(kernel: ir.Operation) -> None:
    """Turns the kernel into `<name>__body`, an inlinable function of bare `noalias` pointers, and an entry
    that loads the pointers from `buffers`. The detour gives LLVM the aliasing facts, which plain loads would
    lose."""
    function = kernel.opview
    if function.is_external:
        raise PassError("a kernel has a body", kernel.location)
    if function.type.results:
        raise PassError("the kernel still returns a buffer after bufferisation", kernel.location)
    types = [_dense(type_, kernel.location) for type_ in function.type.inputs]
    name = function.name.value
    pointer = ir.Type.parse("!llvm.ptr")
    with ir.InsertionPoint(kernel), kernel.location:
        _build_entry(name, types, pointer)
        _retype_body(function, name, types, pointer)


def _dense(type_: ir.Type, location: ir.Location) -> ir.MemRefType:
    """Returns the type of a memref of row-major layout. Raises PassError for other types."""
    if not isinstance(type_, ir.MemRefType) or type_.layout != _row_major(type_):
        raise PassError(f"a kernel takes dense row-major buffers only, but this one has a {type_}", location)
    return type_


def _row_major(type_: ir.MemRefType) -> ir.Attribute:
    return ir.AffineMapAttr.get(ir.AffineMap.get_identity(type_.rank))


def _holds_dims(type_: ir.MemRefType) -> bool:
    """Whether the buffer holds the dims: the only one of indices."""
    return isinstance(type_.element_type, ir.IndexType)


def _build_entry(name: str, types: Sequence[ir.MemRefType], pointer: ir.Type) -> None:
    entry = func.FuncOp(name, ir.FunctionType.get([pointer, pointer], []))
    with ir.InsertionPoint(entry.add_entry_block()):
        buffers, dims = entry.arguments
        slots = iter(range(len(types)))
        loaded = [
            dims
            if _holds_dims(type_)
            else llvm.LoadOp(pointer, _element(buffers, next(slots), pointer)).result
            for type_ in types
        ]
        func.CallOp([], name + IMPLEMENTATION, loaded)
        func.ReturnOp([])


def _element(buffers: ir.Value, index: int, element: ir.Type) -> ir.Value:
    constant = ir.DenseI32ArrayAttr.get([index])
    pointer = ir.Type.parse("!llvm.ptr")
    return llvm.GEPOp(pointer, buffers, [], constant, ir.TypeAttr.get(element), None).result


def _retype_body(function: func.FuncOp, name: str, types: list[ir.MemRefType], pointer: ir.Type) -> None:
    attributes = function.operation.attributes
    attributes["sym_name"] = ir.StringAttr.get(name + IMPLEMENTATION)
    attributes["sym_visibility"] = ir.StringAttr.get("private")
    block = function.entry_block
    pointers = [block.add_argument(pointer, function.location) for _ in types]
    with ir.InsertionPoint.at_block_begin(block):
        shapes = _shapes(function.operation, types, pointers)
        for index, type_ in enumerate(types):
            memref = make_memref(pointers[index], type_, shapes[index])
            block.arguments[index].replace_all_uses_with(memref)
    for _ in types:
        block.erase_argument(0)
    attributes["arg_attrs"] = ir.ArrayAttr.get(_pointer_facts(attributes, types))
    # `llvm-parallel-accesses` reads and drops IN_PLACE.
    for mark in (MARK, DIMS):
        if mark in attributes:
            del attributes[mark]
    attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([pointer] * len(types), []))


@dataclass
class _Extents:
    """The elements of the buffer of dims at `pointer`, `count` of them, each loaded once where it is used."""

    pointer: ir.Value
    count: int
    loaded: dict[int, ir.Value] = field(default_factory=dict)

    def size(self, name: str) -> ir.Value:
        """Builds the size of a dim, or the product of those between `*`. Raises PassError for a name of
        none."""
        first, *others = map(self._factor, name.split("*"))
        for factor in others:
            first = llvm.MulOp(first, factor, llvm.IntegerOverflowFlags.nsw).result
        return first

    def _factor(self, name: str) -> ir.Value:
        if name.isdecimal():
            return _llvm_constant(int(name))
        digits = name.removeprefix("d")
        if digits == name or not digits.isdecimal() or int(digits) >= self.count:
            raise PassError(f"'{name}' is none of the kernel's {self.count} dims", self.pointer.location)
        index = int(digits)
        if index not in self.loaded:
            self.loaded[index] = llvm.LoadOp(i64(), _element(self.pointer, index, i64())).result
        return self.loaded[index]


def _shapes(
    kernel: ir.Operation, types: Sequence[ir.MemRefType], pointers: Sequence[ir.Value]
) -> list[list[ir.Value]]:
    """Returns the dims of each buffer: constants, and elements of the buffer of dims.

    Raises PassError for a dim that has no name.
    """
    given = [
        _Extents(pointer, prod(type_.shape))
        for pointer, type_ in zip(pointers, types, strict=True)
        if _holds_dims(type_)
    ]
    named = iter(kernel.attributes[DIMS]) if DIMS in kernel.attributes else iter(())
    shapes = []
    for type_ in types:
        names = [] if _holds_dims(type_) else list(next(named, ()))
        if not type_.has_static_shape and (len(names) != type_.rank or not given):
            raise PassError(f"this {type_} has dims that the kernel does not name", kernel.location)
        shapes.append(
            [
                given[0].size(names[axis].value) if type_.is_dynamic_dim(axis) else _llvm_constant(extent)
                for axis, extent in enumerate(type_.shape)
            ]
        )
    return shapes


def _pointer_facts(
    attributes: Mapping[str, ir.Attribute], types: Sequence[ir.MemRefType]
) -> list[ir.Attribute]:
    """Returns the attributes of the pointers for LLVM; the result of a kernel that works in place may be an
    operand. `llvm-nonnegative-offsets` reads and drops SIZES."""
    in_place = list(attributes[IN_PLACE]) if IN_PLACE in attributes else []
    shared = {*in_place, len(types) - 1} if in_place else set()
    facts = []
    for index, type_ in enumerate(types):
        names = ["llvm.nonnull", *([] if index in shared else ["llvm.noalias"])]
        names += [SIZES] if _holds_dims(type_) else []
        facts.append(ir.DictAttr.get(dict.fromkeys(names, ir.UnitAttr.get())))
    return facts


@dataclass(frozen=True)
class KernelEntry(Pass):
    """Replace each kernel on memrefs by an entry function of the kernel contract and an inlinable body."""

    name: ClassVar[str] = "kernel-entry"

    def run(self, op: ir.Operation) -> bool:
        kernels = [child.operation for child in op.regions[0].blocks[0] if is_kernel(child.operation)]
        for kernel in kernels:
            split_kernel(kernel)
        return bool(kernels)
