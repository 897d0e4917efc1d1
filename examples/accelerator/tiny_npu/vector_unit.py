"""The scalar ops of elementwise computations that the vector unit computes on tiles."""

from __future__ import annotations

from mlc.bindings import arith, ir
from mlc.passes.common.computation import Computation, dim_position

# (op, types of operands and result) -> the function of the simulator.
_FUNCTIONS = {
    ("arith.addf", "f32", "f32", "f32"): "npu_vector_add_f32",
    ("arith.subf", "f32", "f32", "f32"): "npu_vector_sub_f32",
    ("arith.mulf", "f32", "f32", "f32"): "npu_vector_mul_f32",
    ("arith.cmpf", "f32", "f32", "i1"): "npu_vector_greater_f32",
    ("arith.select", "i1", "f32", "f32", "f32"): "npu_vector_select_f32",
    ("arith.extf", "f16", "f32"): "npu_vector_widen_f16",
    ("arith.truncf", "f32", "f16"): "npu_vector_narrow_f16",
    ("arith.addi", "i32", "i32", "i32"): "npu_vector_add_i32",
}
_BYTES = {"i1": 1, "f16": 2, "f32": 4, "i8": 1, "i32": 4}


def vector_function(op: ir.Operation) -> str | None:
    """Returns the function that computes `op` on all elements of a tile, or None."""
    if op.name == "arith.cmpf" and op.attributes["predicate"].value != arith.CmpFPredicate.OGT:
        return None
    types = (str(value.type) for value in (*op.operands, *op.results))
    return _FUNCTIONS.get((op.name, *types))


def element_bytes(element: ir.Type) -> int | None:
    """Returns the bytes of an element in the scratchpad; None for types that the machine lacks."""
    return _BYTES.get(str(element))


def is_spread(indexing_map: ir.AffineMap) -> bool:
    """Whether an operand is one row that is broadcast over the rows of the tile."""
    return [dim_position(result) for result in indexing_map.results] == [indexing_map.n_dims - 1]


def can_compute(computation: Computation) -> bool:
    """Whether the vector unit computes every op of an elementwise computation on matrices."""
    *body, _ = [view.operation for view in computation.op.regions[0].blocks[0]]
    shapes = [isinstance(value.type, ir.RankedTensorType) for value in computation.op.operands]
    if not all(shapes) or len(computation.extents) != 2 or computation.reductions:
        return False
    elements = [ir.ShapedType(value.type).element_type for value in computation.op.operands]
    identity = ir.AffineMap.get_identity(2)
    return (
        all(element_bytes(element) for element in elements)
        and all(vector_function(op) for op in body)
        and all(indexing_map == identity or is_spread(indexing_map) for indexing_map in computation.maps[:-1])
        and computation.maps[-1] == identity
    )
