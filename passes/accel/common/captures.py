"""Captures of a launch: the values from around it, which become the parameters of its kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from mlc.bindings import arith, ir, llvm, memref
from mlc.passes.base import PassError
from mlc.passes.common.constants import i32, i64, index_constant

GLOBAL_POINTER = "!llvm.ptr<1>"
MOST_ELEMENTS = 1 << 31


@dataclass(frozen=True)
class Captures:
    """Values from around a launch: constants, which are cloned into it; memrefs and scalars, which are
    passed."""

    constants: tuple[ir.Operation, ...]
    memrefs: tuple[ir.Value, ...]
    scalars: tuple[ir.Value, ...]

    def parameter_types(self) -> list[ir.Type]:
        """Returns the types: a pointer for each memref, its dynamic dims as i32, then the scalars, indices as
        i32."""
        pointer = ir.Type.parse(GLOBAL_POINTER)
        types: list[ir.Type] = []
        for buffer in self.memrefs:
            types += [pointer, *[i32()] * len(dynamic_dims(buffer.type))]
        return [*types, *(_passed_type(scalar.type) for scalar in self.scalars)]

    def pointer_index(self, memref: ir.Value) -> int:
        """Returns the index of the parameter that is the pointer to a memref."""
        index = 0
        for buffer in self.memrefs:
            if buffer == memref:
                break
            index += 1 + len(dynamic_dims(buffer.type))
        return index

    def arguments(self) -> list[ir.Value]:
        """Builds the arguments that the host passes, at the current insertion point."""
        values: list[ir.Value] = []
        for buffer in self.memrefs:
            values.append(pointer_to(buffer, GLOBAL_POINTER))
            values += [_narrow_index(_extent(buffer, dim)) for dim in dynamic_dims(buffer.type)]
        return [*values, *map(_narrow_index, self.scalars)]


def captures(launch: ir.Operation) -> Captures:
    """Returns the captures of a launch. Raises PassError for memrefs that are not dense or are too large, and
    for values of other types than memrefs, integers, indices and floats."""
    constants: list[ir.Operation] = []
    memrefs: list[ir.Value] = []
    scalars: list[ir.Value] = []
    for value in _values_from_around(launch):
        owner = value.owner
        if isinstance(value.type, ir.MemRefType):
            memrefs.append(_dense(value, launch))
        elif not isinstance(value, ir.BlockArgument) and owner.name == arith.Constant.NAME:
            constants.append(owner)
        elif isinstance(value.type, ir.IntegerType | ir.IndexType | ir.FloatType):
            scalars.append(value)
        else:
            raise PassError(f"a launch cannot take a {value.type} from around it", launch.location)
    return Captures(tuple(constants), tuple(memrefs), tuple(scalars))


def dynamic_dims(memref_type: ir.MemRefType) -> list[int]:
    """Returns the dims whose extents are dynamic."""
    return [dim for dim in range(memref_type.rank) if memref_type.is_dynamic_dim(dim)]


def _values_from_around(launch: ir.Operation) -> list[ir.Value]:
    inside: set[ir.Value] = set()
    found: dict[ir.Value, None] = {}
    for block, ops in _blocks(launch):
        inside.update(block.arguments)
        for op in ops:
            found.update(dict.fromkeys(operand for operand in op.operands if operand not in inside))
            inside.update(op.results)
    return [value for value in found if value not in inside]


def _blocks(op: ir.Operation) -> Iterator[tuple[ir.Block, list[ir.Operation]]]:
    for region in op.regions:
        for block in region:
            ops = [inner.operation for inner in block.operations]
            yield block, ops
            for inner in ops:
                yield from _blocks(inner)


def _dense(value: ir.Value, launch: ir.Operation) -> ir.Value:
    memref_type = value.type
    if not is_dense(memref_type):
        raise PassError(f"a launch takes dense memrefs from around it, not {memref_type}", launch.location)
    if memref_type.has_static_shape and prod(memref_type.shape) >= MOST_ELEMENTS:
        raise PassError(f"threads compute offsets in 32 bits, too few for a {memref_type}", launch.location)
    return value


def is_dense(memref_type: ir.MemRefType) -> bool:
    """Whether a memref has the strides of a dense row-major array."""
    layout = memref_type.layout
    if not isinstance(layout, ir.AffineMapAttr):
        return False
    access = layout.value
    return bool(access == ir.AffineMap.get_identity(access.n_dims))


def pointer_to(value: ir.Value, pointer_type: str) -> ir.Value:
    """Returns the address of a memref as a pointer of type `pointer_type`."""
    index = memref.ExtractAlignedPointerAsIndexOp(value).result
    address = arith.IndexCastOp(i64(), index).result
    return llvm.inttoptr(ir.Type.parse(pointer_type), address)


def _extent(value: ir.Value, dim: int) -> ir.Value:
    return memref.DimOp(value, index_constant(dim)).result


def _passed_type(scalar_type: ir.Type) -> ir.Type:
    return i32() if isinstance(scalar_type, ir.IndexType) else scalar_type


def _narrow_index(value: ir.Value) -> ir.Value:
    return arith.IndexCastOp(i32(), value).result if isinstance(value.type, ir.IndexType) else value
