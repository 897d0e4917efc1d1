"""Rewrites of elementwise computations for tiling: to linear indices and to few dims."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import affine, func, ir, linalg, tensor
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.rewriting import collect_ops, defining_op, replace_op, users
from mlc.passes.schedule.common.transform_script import HANDLE, match, run_script

# Marks a computation while its dims become one.
_FLAT = "tloop.flat"


def read_by_extract(kernel: ir.Operation) -> None:
    """Reads operands in memory whose indices are not linear (quotients, remainders, reversed) by
    `tensor.extract` in the body: a tile of such a computation reads no slice of them."""
    for generic in map(linalg.Generic, collect_ops(kernel, linalg.Generic.NAME)):
        inputs, maps = generic.inputs, generic.indexing_maps
        computed = [index for index in range(len(inputs)) if not all(map(_is_sum, maps[index].results))]
        if computed and all(linalg.Generic.defining(inputs[index]) is None for index in computed):
            op = generic.operation
            with ir.InsertionPoint(op), op.location:
                replace_op(op, list(_with_extracts(generic, computed).results))


def _is_sum(expression: ir.AffineExpr) -> bool:
    if isinstance(expression, ir.AffineDimExpr):
        return True
    if isinstance(expression, ir.AffineConstantExpr):
        return bool(ir.AffineConstantExpr(expression).value >= 0)
    if not isinstance(expression, ir.AffineAddExpr | ir.AffineMulExpr):
        return False
    binary = ir.AffineBinaryExpr(expression)
    return _is_sum(binary.lhs) and _is_sum(binary.rhs)


def _with_extracts(old: linalg.Generic, computed: Sequence[int]) -> ir.Operation:
    """Builds the computation without the inputs `computed`, whose elements its body reads itself."""
    maps, arguments = old.indexing_maps, old.arguments
    kept = [index for index in range(len(maps)) if index not in computed]
    new = linalg.GenericOp(
        [result.type for result in old.result_tensors],
        [value for index, value in enumerate(old.inputs) if index not in computed],
        old.outputs,
        ir.ArrayAttr.get([ir.AffineMapAttr.get(maps[index]) for index in kept]),
        ir.ArrayAttr.get(old.iterator_types),
    )
    body = new.regions[0].blocks.append(*[arguments[index].type for index in kept])
    values = dict(zip([arguments[index] for index in kept], body.arguments, strict=True))
    with ir.InsertionPoint(body):
        indices = [linalg.IndexOp(dim).result for dim in range(maps[0].n_dims)]
        for index in computed:
            element = [_apply(maps[index], result, indices) for result in maps[index].results]
            values[arguments[index]] = tensor.extract(old.inputs[index], element)
        clone_ops([op.operation for op in old.entry_block.operations], values)
    return new.operation


def _apply(access: ir.AffineMap, result: ir.AffineExpr, indices: Sequence[ir.Value]) -> ir.Value:
    return affine.AffineApplyOp(ir.AffineMap.get(access.n_dims, 0, [result]), list(indices)).result


def flatten_elementwise(kernel: ir.Operation) -> None:
    """Flattens elementwise computations on inputs of the result's shape to one dim: its tiles seldom have
    padding."""
    for op in collect_ops(kernel, linalg.Generic.NAME):
        if _is_plain(op):
            op.attributes[_FLAT] = ir.UnitAttr.get()
            flatten = f"transform.structured.flatten_elementwise %b : ({HANDLE}) -> {HANDLE}"
            run_script(kernel, f"{match('b', _FLAT)}\n%flat = {flatten}")


def _is_plain(op: ir.Operation) -> bool:
    """Whether all operands are read in the result's order, and are arguments, and the result is the
    kernel's."""
    generic = linalg.Generic(op)
    identity = ir.AffineMap.get_identity(generic.indexing_maps[0].n_dims)
    return (
        identity.n_dims > 1
        and len(op.results) == 1
        and all(indexing_map == identity for indexing_map in generic.indexing_maps)
        and all(
            isinstance(value.type, ir.RankedTensorType) and defining_op(value) is None
            for value in generic.inputs
        )
        and all(func.Return.isa(user) for user in users(op.result))
        and not collect_ops(op, (linalg.Index.NAME, tensor.Extract.NAME))
    )
