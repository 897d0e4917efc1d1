"""Lowering of ops on tiles to linalg ops on tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod

from mlc.bindings import arith, ir, linalg, tensor, vector
from mlc.passes.accel.cpu.types import cpu_type
from mlc.passes.common.linalg_builders import (
    affine_map,
    dims,
    elementwise,
    empty,
    generic,
    index_value,
    static_shape,
    tensor_type,
)

Operands = Sequence[ir.Value]
Combine = Callable[[ir.Value, ir.Value], ir.Value]


def _by_type(on_floats: Combine, on_integers: Combine) -> Combine:
    return lambda a, b: (on_floats if isinstance(a.type, ir.FloatType) else on_integers)(a, b)


# Combining ops of `vector.multi_reduction`, by their names in its attribute.
COMBINE: dict[str, Combine] = {
    "add": _by_type(arith.addf, arith.addi),
    "mul": _by_type(arith.mulf, arith.muli),
    "and": arith.andi,
    "or": arith.ori,
    "xor": arith.xori,
    "maxsi": arith.maxsi,
    "maxui": arith.maxui,
    "minsi": arith.minsi,
    "minui": arith.minui,
    "maxnumf": arith.maxnumf,
    "maximumf": arith.maximumf,
    "minnumf": arith.minnumf,
    "minimumf": arith.minimumf,
}


def lower_constant(op: ir.Operation, _operands: Operands) -> list[ir.Value]:
    """Lowers a constant on tiles to one of a tensor."""
    result, text = cpu_type(arith.Constant(op).result.type), str(arith.Constant(op).value)
    retyped = ir.Attribute.parse(f"{text[: text.rindex(' : ')]} : {result}")
    return [arith.ConstantOp(result, retyped).result]


def writable_tensor(value: ir.Value) -> ir.Value:
    """Returns `value` as a tensor that may be overwritten: a splat constant, which would be read-only data,
    is filled."""
    constant = arith.Constant.defining(value)
    if constant is None or not constant.value.is_splat:
        return value
    scalar = constant.value.get_splat_value()
    into = empty(static_shape(value), scalar.type)
    return linalg.fill(arith.ConstantOp(scalar.type, scalar).result, outs=[into])


def lower_broadcast(op: ir.Operation, operands: Operands) -> list[ir.Value]:
    """Lowers `vector.broadcast`."""
    result = cpu_type(vector.Broadcast(op).vector.type)
    source = operands[0]
    if isinstance(source.type, ir.RankedTensorType):
        return [elementwise([source], result, lambda scalars: scalars[0])]
    return [linalg.fill(source, outs=[empty(result.shape, result.element_type)])]


def lower_transpose(op: ir.Operation, operands: Operands) -> list[ir.Value]:
    """Lowers `vector.transpose`: dim i of the result is dim `permutation[i]` of the operand."""
    result, permutation = cpu_type(vector.Transpose(op).result.type), vector.Transpose(op).permutation
    rank = result.rank
    read = affine_map(rank, [dims(rank)[permutation.index(dim)] for dim in range(rank)])
    into = empty(result.shape, result.element_type)
    return [generic([operands[0]], [read], into, affine_map(rank, dims(rank)), lambda new, _old: new)]


def lower_shape_cast(op: ir.Operation, operands: Operands) -> list[ir.Value]:
    """Lowers `vector.shape_cast` through one dim, which every shape with as many elements can be expanded
    from."""
    result, value = cpu_type(vector.ShapeCast(op).result.type), operands[0]
    flat = ir.RankedTensorType.get([prod(result.shape)], result.element_type)
    if tensor_type(value).rank != 1:
        value = tensor.CollapseShapeOp(flat, value, _one_group(tensor_type(value).rank)).result
    if result.rank != 1:
        value = tensor.ExpandShapeOp(result, value, _one_group(result.rank), [], list(result.shape)).result
    return [value]


def _one_group(rank: int) -> list[list[int]]:
    """The reassociation of all dims into one."""
    return [list(range(rank))] if rank else []


def lower_step(op: ir.Operation, _operands: Operands) -> list[ir.Value]:
    """Lowers `vector.step`."""
    result = cpu_type(vector.Step(op).result.type)
    into = empty(result.shape, result.element_type)
    return [generic([], [], into, affine_map(1, dims(1)), lambda _old: linalg.IndexOp(0).result)]


def lower_create_mask(op: ir.Operation, operands: Operands) -> list[ir.Value]:
    """Lowers `vector.create_mask` and `constant_mask`: true where the index along each dim is less than the
    dim's size."""
    mask = cpu_type(op.results[0].type)
    if (constant := vector.ConstantMask.match(op)) is not None:
        operands = [index_value(size) for size in constant.mask_dim_sizes]
    into = empty(mask.shape, mask.element_type)

    def body(_old: ir.Value) -> ir.Value:
        below = [
            arith.cmpi(arith.CmpIPredicate.slt, linalg.IndexOp(dim).result, bound)
            for dim, bound in enumerate(operands)
        ]
        return reduce(arith.andi, below)

    return [generic([], [], into, affine_map(mask.rank, dims(mask.rank)), body)]


def lower_reduction(op: ir.Operation, operands: Operands) -> list[ir.Value]:
    """Lowers `vector.multi_reduction`; the accumulator is a scalar if all dims are reduced."""
    source, start = operands
    reduced, rank = list(vector.MultiDimReduction(op).reduction_dims), tensor_type(source).rank
    is_scalar = not isinstance(start.type, ir.RankedTensorType)
    if is_scalar:
        start = tensor.FromElementsOp(ir.RankedTensorType.get([], start.type), [start]).result
    kept = affine_map(rank, [expr for dim, expr in enumerate(dims(rank)) if dim not in reduced])
    combine = COMBINE[_combining_name(op)]
    every = affine_map(rank, dims(rank))
    result = generic(
        [source], [every], writable_tensor(start), kept, lambda new, old: combine(old, new), reduced
    )
    return [tensor.ExtractOp(result, []).result if is_scalar else result]


def _combining_name(op: ir.Operation) -> str:
    """The name of a reduction's combining op, `add` of `#vector.kind<add>`."""
    return str(vector.MultiDimReduction(op).kind).removeprefix("#vector.kind<").removesuffix(">")
