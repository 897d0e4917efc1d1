"""What a launch takes from around it: the parameters of its kernel."""

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
    """Values from around a launch: constants, which are made anew inside; memrefs and scalars, which are
    passed."""

    constants: tuple[ir.Operation, ...]
    memrefs: tuple[ir.Value, ...]
    scalars: tuple[ir.Value, ...]

    def parameter_types(self) -> list[ir.Type]:
        """A pointer for each memref, its dynamic dims as i32, then the scalars; an index is an i32."""
        pointer = ir.Type.parse(GLOBAL_POINTER)
        kinds: list[ir.Type] = []
        for each in self.memrefs:
            kinds += [pointer, *[i32()] * len(dynamic_dims(each.type))]
        return [*kinds, *(_passed_type(scalar.type) for scalar in self.scalars)]

    def pointer_index(self, memref: ir.Value) -> int:
        """Which parameter is the pointer to a memref."""
        number = 0
        for each in self.memrefs:
            if each == memref:
                break
            number += 1 + len(dynamic_dims(each.type))
        return number

    def arguments(self) -> list[ir.Value]:
        """What the host passes, made at the current insertion point."""
        values: list[ir.Value] = []
        for each in self.memrefs:
            values.append(pointer_to(each, GLOBAL_POINTER))
            values += [_narrowed(_extent(each, dim)) for dim in dynamic_dims(each.type)]
        return [*values, *map(_narrowed, self.scalars)]


def captures(launch: ir.Operation) -> Captures:
    """Raises PassError for memrefs that are not dense or are too large, and for what is no number."""
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


def dynamic_dims(kind: ir.MemRefType) -> list[int]:
    return [dim for dim in range(kind.rank) if kind.is_dynamic_dim(dim)]


def _values_from_around(launch: ir.Operation) -> list[ir.Value]:
    inside: set[ir.Value] = set()
    found: dict[ir.Value, None] = {}
    for block, ops in _blocks(launch):
        inside.update(block.arguments)
        for op in ops:
            found.update(dict.fromkeys(operand for operand in op.operands if operand not in inside))
            inside.update(op.results)
    return [each for each in found if each not in inside]


def _blocks(op: ir.Operation) -> Iterator[tuple[ir.Block, list[ir.Operation]]]:
    for region in op.regions:
        for block in region:
            ops = [each.operation for each in block.operations]
            yield block, ops
            for each in ops:
                yield from _blocks(each)


def _dense(value: ir.Value, launch: ir.Operation) -> ir.Value:
    kind = value.type
    if not is_dense(kind):
        raise PassError(f"a launch takes dense memrefs from around it, not {kind}", launch.location)
    if kind.has_static_shape and prod(kind.shape) >= MOST_ELEMENTS:
        raise PassError(f"threads count places in 32 bits, too few for a {kind}", launch.location)
    return value


def is_dense(kind: ir.MemRefType) -> bool:
    """Whether a memref has no other strides than its shape gives it."""
    layout = kind.layout
    if not isinstance(layout, ir.AffineMapAttr):
        return False
    access = layout.value
    return bool(access == ir.AffineMap.get_identity(access.n_dims))


def pointer_to(value: ir.Value, kind: str) -> ir.Value:
    """The address of a memref, as a pointer of type `kind`."""
    index = memref.ExtractAlignedPointerAsIndexOp(value).result
    address = arith.IndexCastOp(i64(), index).result
    return llvm.inttoptr(ir.Type.parse(kind), address)


def _extent(value: ir.Value, dim: int) -> ir.Value:
    return memref.DimOp(value, index_constant(dim)).result


def _passed_type(kind: ir.Type) -> ir.Type:
    return i32() if isinstance(kind, ir.IndexType) else kind


def _narrowed(value: ir.Value) -> ir.Value:
    return arith.IndexCastOp(i32(), value).result if isinstance(value.type, ir.IndexType) else value
