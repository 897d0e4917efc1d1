"""Rules for values that are larger than they need be, since elementwise ops broadcast.

What values that are larger than they need be are expanded from.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.dims.dim_names import Shape
from mlc.dialects.graph.sizes import Size, broadcast, product
from mlc.passes.common.rewriting import attributes_of, defining_op, has_one_use
from mlc.passes.graph.common.constant_operands import reads
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.values import broadcast_like, scalar_constant, splat


def dims_follow(expand: ir.Operation) -> bool:
    """Whether only dims of 1 become more: of dynamic dims it is not known whether they are 1."""
    dims, own = graph.dims_of(expand.results[0]), graph.dims_of(expand.operands[0])
    return broadcasts_to(own, dims)


def broadcasts_to(own: Shape, whole: Shape) -> bool:
    """Whether a tensor of dims `own` broadcasts to `whole` by dims of 1 alone."""
    aligned = zip(reversed(own), reversed(whole), strict=False)
    return len(own) <= len(whole) and all(dim in (1, wanted) for dim, wanted in aligned)


def before_expansion(value: ir.Value) -> ir.Value | None:
    """The value before an expansion of known dims, or copies of dims of 1."""
    op = defining_op(value)
    if op is None:
        return None
    if op.name == graph.Expand.NAME:
        return graph.Expand(op).x if dims_follow(op) else None
    if op.name == graph.Tile.NAME:
        counts = zip(graph.shape_of(graph.Tile(op).x), graph.Tile(op).repeats, strict=True)
        return graph.Tile(op).x if all(dim == 1 or count == 1 for dim, count in counts) else None
    return None


def leading_ones(value: ir.Value) -> ir.Value | None:
    """The value before a view that adds leading dims of 1."""
    op = defining_op(value)
    if op is None or op.name not in (graph.Reshape.NAME, graph.Unsqueeze.NAME):
        return None
    shape, inner = graph.dims_of(value), graph.dims_of(graph.Reshaping(op).x)
    added = len(shape) - len(inner)
    return graph.Reshaping(op).x if added > 0 and shape == (1,) * added + inner else None


_ELEMENTWISE = [spec for spec in graph.specs().values() if spec.family == "elementwise"]
_UNARY = [f"graph.{spec.name}" for spec in _ELEMENTWISE if len(spec.operands) == 1]
_BROADCASTING = [
    f"graph.{spec.name}" for spec in _ELEMENTWISE if len(spec.operands) > 1 and spec.name != "prelu"
]
# What may make an operand larger than it need be.
_ENLARGING = tuple(f"graph.{name}" for name in ("expand", "tile", "reshape", "unsqueeze", "full", "constant"))


def _smaller(value: ir.Value) -> ir.Value | None:
    found = before_expansion(value)
    return leading_ones(value) if found is None else found


def _smaller_type(value: ir.Value, smaller: ir.Value | None) -> ir.Type:
    if smaller is not None:
        return smaller.type
    is_scalar = value.type.rank and splat(value) is not None
    return ir.RankedTensorType.get([], value.type.element_type) if is_scalar else value.type


def _of_type(value: ir.Value, smaller: ir.Value | None, result_type: ir.Type) -> ir.Value:
    """The operand of the type that `_smaller_type` gave."""
    is_scalar = splat(value) if smaller is None and value.type != result_type else None
    return scalar_constant(is_scalar, value) if is_scalar is not None else smaller or value


def broadcast_operands(op: ir.Operation) -> ir.Value | None:
    """f(expand(x), y) -> f(x, y), or expand(f(x, y)) where that is smaller; the same for tile of dims of 1,
    for views with leading dims of 1, and for constants of equal elements.
    """
    if not reads(op, *_ENLARGING):
        return None
    smaller = [_smaller(operand) for operand in op.operands]
    types = [_smaller_type(*pair) for pair in zip(op.operands, smaller, strict=True)]
    if types == [operand.type for operand in op.operands]:
        return None
    result, whole = op.results[0], graph.dims_of(op.results[0])
    dims = [
        _smaller_dims(*operand_and_dims) for operand_and_dims in zip(op.operands, smaller, types, strict=True)
    ]
    joined = _broadcast_shape(dims)
    if joined != whole and not (_has_fewer_elements(joined, whole) and _used_here_only(op)):
        return None
    operands = [
        _of_type(old, new, result_type)
        for old, new, result_type in zip(op.operands, smaller, types, strict=True)
    ]
    return broadcast_like(graph.build(op.name, operands, attributes_of(op)), result)


def _smaller_dims(value: ir.Value, smaller: ir.Value | None, result_type: ir.Type) -> Shape:
    """The dims that go with `_smaller_type`."""
    return graph.dims_of(value if smaller is None else smaller) if result_type.rank else ()


def _broadcast_shape(shapes: Sequence[Shape]) -> Shape:
    """The dims that tensors broadcast to, which do broadcast."""
    joined: list[int | Size] = [1] * max(map(len, shapes))
    for shape in shapes:
        for axis, dim in enumerate(shape, len(joined) - len(shape)):
            joined[axis] = broadcast(joined[axis], dim)
    return tuple(joined)


def _has_fewer_elements(own: Shape, than: Shape) -> bool:
    if all(isinstance(dim, int) for dim in (*own, *than)):
        return product(own) < product(than)
    return broadcasts_to(own, than) and product(own) != product(than)


def _used_here_only(op: ir.Operation) -> bool:
    """Whether nothing else uses the expansions among the operands."""
    return all(has_one_use(operand) for operand in op.operands if before_expansion(operand) is not None)


def function_of_expanded(op: ir.Operation) -> ir.Value | None:
    """f(expand(x)) -> expand(f(x)) for f of one operand."""
    x, result = before_expansion(op.operands[0]), op.results[0]
    if x is None or not has_one_use(op.operands[0]):
        return None
    if not _has_fewer_elements(graph.dims_of(x), graph.dims_of(result)):
        return None
    result_type = ir.RankedTensorType.get(x.type.shape, result.type.element_type)
    return broadcast_like(graph.build(op.name, [x], attributes_of(op), result_type), result)


def _unexpanded_batch(value: ir.Value) -> ir.Value:
    """The value before an expansion that leaves its last two dims alone, else the value."""
    smaller = before_expansion(value)
    if smaller is None or smaller.type.rank < 2:
        return value
    return smaller if graph.dims_of(smaller)[-2:] == graph.dims_of(value)[-2:] else value


def product_of_expanded(op: ir.Operation) -> ir.Value | None:
    """matmul(expand(a), b) -> matmul(a, b) where only batch dims are expanded, which broadcast."""
    operands = [_unexpanded_batch(operand) for operand in op.operands]
    if operands == list(op.operands):
        return None
    (inferred,) = graph.infer(op.name, [operand.type for operand in operands])
    return graph.build(op.name, operands) if inferred == graph.Matmul(op).result.type else None


def expand_of_leading_ones(op: ir.Operation) -> ir.Value | None:
    """Drops views that add leading dims before an expand, which adds them itself."""
    x = leading_ones(graph.Expand(op).x)
    return None if x is None else broadcast_like(x, graph.Expand(op).result)


def tile_of_ones(op: ir.Operation) -> ir.Value | None:
    """Copies of dims of 1: an expansion."""
    tile = graph.Tile(op)
    x = before_expansion(tile.result)
    return None if x is None else broadcast_like(x, tile.result)


RULES: Rules = {
    **dict.fromkeys(_UNARY, (function_of_expanded,)),
    **dict.fromkeys(_BROADCASTING, (broadcast_operands,)),
    graph.Matmul.NAME: (product_of_expanded,),
    graph.Expand.NAME: (expand_of_leading_ones,),
    graph.Tile.NAME: (tile_of_ones,),
}
