"""What kernels compute as they read it, and what they cut off as they write it."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.narrow_floats import MULTIPLIED
from mlc.passes.common.rewriting import has_one_use, users
from mlc.passes.graph.common.kernel_categories import (
    ATTENTION,
    LOOKED_UP,
    LOOKUP,
    PRODUCTS,
    TAKES_PROLOGUE,
    WINDOWS,
)
from mlc.passes.graph.common.op_families import ELEMENTWISE
from mlc.passes.graph.common.rematerialization import ON_READ
from mlc.passes.graph.winograd.strips import strip_of


def is_cleared_cut(op: ir.Operation) -> bool:
    """Whether a slice cuts off the ends of dims, of which only a constant padding of at least that size reads
    the rest: the whole can be written, and the ends cleared."""
    readers = users(op.results[0])
    if (
        len(readers) != 1
        or readers[0].name != "graph.pad"
        or graph.attribute(readers[0], "mode") != "constant"
    ):
        return False
    whole, rest = graph.shape_of(op.operands[0]), graph.shape_of(op.results[0])
    if (
        None in (*whole, *rest)
        or any(graph.attribute(op, "starts"))
        or set(graph.attribute(op, "steps")) != {1}
    ):
        return False
    high = graph.attribute(readers[0], "high")
    return all(size - kept <= more for size, kept, more in zip(whole, rest, high, strict=True))


def readers_of(op: ir.Operation) -> frozenset[str]:
    """The ops that do what `op`, which is marked as read so, does as they read."""
    if op.name != "graph.cast":
        return PRODUCTS | WINDOWS
    read, made = (graph.element_type(each) for each in (op.operands[0], op.results[0]))
    multiplied = isinstance(made, ir.IntegerType) or isinstance(read, MULTIPLIED)
    return ELEMENTWISE | TAKES_PROLOGUE | (PRODUCTS | WINDOWS if multiplied else frozenset())


def can_look_up(producer: Sequence[ir.Operation], group: Sequence[ir.Operation]) -> bool:
    """Whether what a producer's ops look up, if they do, can be looked up in a group of ops: not in the
    epilogue of a kernel of another kind."""
    return LOOKUP not in {op.name for op in producer} or all(op.name in LOOKED_UP for op in group)


def can_read_through(producer: Sequence[ir.Operation], op: ir.Operation, position: int) -> bool:
    """Whether `op` can compute operand `position` as it reads it: elementwise ops in front of a row
    reduction, of another elementwise op of their shape or of a gather of single elements; gathers in
    front of elementwise ops; what is marked as read so, a transpose in front of a product, all of a
    Winograd convolution whose parts would not stay in caches."""
    last, result = producer[-1], producer[-1].results[0]
    if ON_READ in op.attributes:
        return ON_READ in last.attributes
    if ON_READ in last.attributes:
        return op.name in readers_of(last)
    if op.name in WINDOWS:
        return False
    if op.name in ELEMENTWISE:
        return all(each.name in LOOKED_UP for each in producer) and graph.same_shape(result, op.results[0])
    is_elementwise = all(each.name in ELEMENTWISE for each in producer)
    if op.name == LOOKUP:
        # Each index is read once: the data has one dim.
        return position == 1 and is_elementwise and graph.same_shape(result, op.results[0])
    if op.name in TAKES_PROLOGUE:
        return is_elementwise and graph.same_shape(result, op.operands[position])
    names = [each.name for each in producer]
    if names == ["graph.winograd_input"]:
        return _is_strip(op)
    return names == ["graph.transpose"] and _takes_transposed(op, position, producer[0])


def _is_strip(product: ir.Operation) -> bool:
    """Whether a Winograd convolution of this product is computed strip by strip."""
    back = [user for user in users(product.results[0]) if user.name == "graph.winograd_output"]
    return has_one_use(product.results[0]) and bool(back) and strip_of(back[0]) is not None


def _takes_transposed(op: ir.Operation, position: int, transpose: ir.Operation) -> bool:
    """Whether a product or attention can read operand `position` as it was before the transpose."""
    permutation = graph.attribute(transpose, "permutation")
    in_place = permutation[-1] == len(permutation) - 1
    if op.name == ATTENTION:
        return position < 3 and in_place
    return position == 0 or in_place
