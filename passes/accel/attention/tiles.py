"""Builders of vectors with rows and columns."""

from __future__ import annotations

from mlc.bindings import arith, ir, vector
from mlc.dialects import accel
from mlc.passes.common.vector_builders import splat


def floats(*shape: int) -> ir.VectorType:
    """Returns the type of a vector of f32."""
    return ir.VectorType.get(list(shape), ir.F32Type.get())


def splat_like(like: ir.Value, value: float) -> ir.Value:
    """Returns a splat of `value` with the type of `like`."""
    return splat(like.type, value)


def broadcast_columns(rows: ir.Value, columns: int) -> ir.Value:
    """Broadcasts `[rows]` to `[rows, columns]`."""
    (count,), element = rows.type.shape, rows.type.element_type
    column = vector.ShapeCastOp(ir.VectorType.get([count, 1], element), rows).result
    return vector.BroadcastOp(ir.VectorType.get([count, columns], element), column).result


def reduce_rows(combining: str, matrix: ir.Value, start: ir.Value) -> ir.Value:
    """Reduces each row of `matrix`, starting from `start`."""
    attribute = ir.Attribute.parse(f"#vector.kind<{combining}>")
    return vector.MultiDimReductionOp(attribute, matrix, start, ir.DenseI64ArrayAttr.get([1])).result


def partial_sums(matrix: ir.Value, start: ir.Value) -> ir.Value:
    """Adds to column c of `start`, of n columns, columns c, c + n, c + 2 n, ... of `matrix`; those of an
    accumulator of tensor cores are in one thread."""
    rows, columns = matrix.type.shape
    parts = start.type.shape[1]
    cut = ir.VectorType.get([rows, columns // parts, parts], matrix.type.element_type)
    pieces = vector.ShapeCastOp(cut, matrix).result
    attribute = ir.Attribute.parse("#vector.kind<add>")
    return vector.MultiDimReductionOp(attribute, pieces, start, ir.DenseI64ArrayAttr.get([1])).result


def index_range(count: int, first: ir.Value) -> ir.Value:
    """Returns the index vector `first`, `first + 1`, ..., of `count` elements."""
    indices = ir.VectorType.get([count], ir.IndexType.get())
    return arith.addi(vector.StepOp(indices).result, vector.BroadcastOp(indices, first).result)


def multiply_tiles(
    a: ir.Value, b: ir.Value, accumulator: ir.Value, precision: str, *, transpose_b: bool = False
) -> ir.Value:
    """Builds an `accel.mma`: `a b + accumulator`."""
    attributes: dict[str, ir.Attribute] = {"precision": ir.StringAttr.get(precision)}
    if transpose_b:
        attributes["transpose_b"] = ir.UnitAttr.get()
    return ir.Operation.create(accel.Mma.NAME, [accumulator.type], [a, b, accumulator], attributes).results[0]
