"""Ops on tiles as linalg ops on tensors."""

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


# The kinds of `vector.multi_reduction`.
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
    kind, value = cpu_type(op.results[0].type), op.attributes["value"]
    text = str(value)
    retyped = ir.Attribute.parse(f"{text[: text.rindex(' : ')]} : {kind}")
    return [arith.ConstantOp(kind, retyped).result]


def owned(value: ir.Value) -> ir.Value:
    """`value` as a tensor over which may be written: a constant is filled in, where it would be data."""
    made = arith.Constant.defining(value)
    if made is None or not made.value.is_splat:
        return value
    number = made.value.get_splat_value()
    into = empty(static_shape(value), number.type)
    return linalg.fill(arith.ConstantOp(number.type, number).result, outs=[into])


def lower_broadcast(op: ir.Operation, operands: Operands) -> list[ir.Value]:
    kind = cpu_type(op.results[0].type)
    source = operands[0]
    if isinstance(source.type, ir.RankedTensorType):
        return [elementwise([source], kind, lambda numbers: numbers[0])]
    return [linalg.fill(source, outs=[empty(kind.shape, kind.element_type)])]


def lower_transpose(op: ir.Operation, operands: Operands) -> list[ir.Value]:
    """Dim i of the result is dim `permutation[i]` of the operand."""
    kind, permutation = cpu_type(op.results[0].type), list(op.attributes["permutation"])
    rank = kind.rank
    read = affine_map(rank, [dims(rank)[permutation.index(dim)] for dim in range(rank)])
    into = empty(kind.shape, kind.element_type)
    return [generic([operands[0]], [read], into, affine_map(rank, dims(rank)), lambda new, _old: new)]


def lower_shape_cast(op: ir.Operation, operands: Operands) -> list[ir.Value]:
    """By way of one dim, from which every shape of as many elements can be made."""
    kind, value = cpu_type(op.results[0].type), operands[0]
    flat = ir.RankedTensorType.get([prod(kind.shape)], kind.element_type)
    if tensor_type(value).rank != 1:
        value = tensor.CollapseShapeOp(flat, value, _one_group(tensor_type(value).rank)).result
    if kind.rank != 1:
        value = tensor.ExpandShapeOp(kind, value, _one_group(kind.rank), [], list(kind.shape)).result
    return [value]


def _one_group(rank: int) -> list[list[int]]:
    """All dims together, if there are any."""
    return [list(range(rank))] if rank else []


def lower_step(op: ir.Operation, _operands: Operands) -> list[ir.Value]:
    kind = cpu_type(op.results[0].type)
    into = empty(kind.shape, kind.element_type)
    return [generic([], [], into, affine_map(1, dims(1)), lambda _old: linalg.IndexOp(0).result)]


def lower_create_mask(op: ir.Operation, operands: Operands) -> list[ir.Value]:
    """True where the index along each dim is below the operand, or the number in `constant_mask`."""
    kind = cpu_type(op.results[0].type)
    if op.name == vector.ConstantMask.NAME:
        operands = [index_value(each) for each in ir.DenseI64ArrayAttr(op.attributes["mask_dim_sizes"])]
    into = empty(kind.shape, kind.element_type)

    def body(_old: ir.Value) -> ir.Value:
        below = [
            arith.cmpi(arith.CmpIPredicate.slt, linalg.IndexOp(dim).result, bound)
            for dim, bound in enumerate(operands)
        ]
        return reduce(arith.andi, below)

    return [generic([], [], into, affine_map(kind.rank, dims(kind.rank)), body)]


def lower_reduction(op: ir.Operation, operands: Operands) -> list[ir.Value]:
    """Adds to the accumulator, a number where all dims are reduced."""
    source, start = operands
    reduced, rank = list(op.attributes["reduction_dims"]), tensor_type(source).rank
    is_number = not isinstance(start.type, ir.RankedTensorType)
    if is_number:
        start = tensor.FromElementsOp(ir.RankedTensorType.get([], start.type), [start]).result
    kept = affine_map(rank, [each for dim, each in enumerate(dims(rank)) if dim not in reduced])
    combine = COMBINE[_kind(op)]
    every = affine_map(rank, dims(rank))
    result = generic([source], [every], owned(start), kept, lambda new, old: combine(old, new), reduced)
    return [tensor.ExtractOp(result, []).result if is_number else result]


def _kind(op: ir.Operation) -> str:
    """The kind of a reduction, as it is written in `#vector.kind<add>`."""
    return str(op.attributes["kind"]).removeprefix("#vector.kind<").removesuffix(">")
