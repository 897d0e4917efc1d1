"""The requirements that an op has of dynamic dims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mlc.bindings import ir
from mlc.dialects.graph import views
from mlc.dialects.graph.dims.dim_names import Shape
from mlc.dialects.graph.dims.function_dims import Dims
from mlc.dialects.graph.dims.propagation import element_of
from mlc.dialects.graph.dims.symbolic_inference import inferred_dims
from mlc.dialects.graph.sizes import Requirement, Size, assumptions, lower_bound, name_of, product

# Names or the operand `dims` give the dims of their results.
_WITH_DIMS = (views.Reshape.NAME, views.Expand.NAME, views.Full.NAME)
Pair = tuple[int | Size | None, int | Size | None]


def requirements(op: ir.Operation, dims: Dims) -> list[Requirement]:
    """Returns what must hold of the dims of a graph op's operands and results: kernels read and write as many
    elements as the dims have. Raises ShapeError where it never holds."""
    values = [*op.operands, *op.results]
    if not all(isinstance(value.type, ir.RankedTensorType) for value in values):
        return []
    operands, results = ([dims.of(value) for value in group] for group in (op.operands, op.results))
    if not any(isinstance(dim, Size) for shape in (*operands, *results) for dim in shape):
        return []
    computed = [dims.computed_dims(value) for value in op.results]
    found = [*_not_negative(results), *_of_op(op, operands, computed)]
    # Of equal requirements the one with a message stays.
    return list(dict.fromkeys(sorted(found, key=lambda requirement: not requirement.fault)))


def _not_negative(shapes: Sequence[Shape]) -> Iterator[Requirement]:
    for dim in [dim for shape in shapes for dim in shape]:
        least = lower_bound(dim)
        if least is None or least < 0:
            yield Requirement(dim, 0, "at_least")


def _of_op(op: ir.Operation, operands: Sequence[Shape], results: Sequence[Shape]) -> Iterator[Requirement]:
    if op.name == views.Reshape.NAME:
        yield from _equal([(product(operands[0]), product(results[0]))])
    elif op.name == views.Expand.NAME:
        pairs = zip(operands[0], results[0][len(results[0]) - len(operands[0]) :], strict=True)
        yield from (Requirement(one, two, "broadcast") for one, two in pairs if one not in (1, two))
    elif op.name not in _WITH_DIMS:
        with assumptions() as found:
            inferred = inferred_dims(op, operands)
        yield from found
        for shape, written in zip(inferred, results, strict=True):
            yield from _equal(zip(shape, written, strict=True))


def _equal(pairs: Iterable[Pair]) -> Iterator[Requirement]:
    for one, two in pairs:
        if one is not None and two is not None and one != two:
            yield Requirement(one, two)


def passing_requirements(op: ir.Operation, dims: Dims) -> list[Requirement]:
    """Returns the same for a `graph.loop` and the `graph.yield` of a body: the dims of values that enter or
    leave a body agree with those of the values that they become."""
    ways = list(_pass_values(op))
    given = {receiver: value for value, receiver in ways}

    def own(dim: int | Size) -> int | Size | None:
        """Returns a dim of what a value becomes, as the body names it: names of the dims that change are
        elements of a vector that passes as well. None for a dim that nothing reads, such as of an unused
        result."""
        vector, index = dims.elements.get(name_of(dim) or "", (None, 0))
        if vector is None or vector not in given:
            return dim if dims.is_named(dim) else None
        elements = dims.contents(given[vector])
        return None if elements is None else element_of(elements, index)

    found: list[Requirement] = []
    for value, receiver in ways:
        if isinstance(value.type, ir.RankedTensorType):
            before, after = dims.of(value), dims.of(receiver)
            # A stack has one more dim.
            after = after[len(after) - len(before) :]
            found += _equal((one, own(two)) for one, two in zip(before, after, strict=True) if one != two)
    return list(dict.fromkeys(found))


def _pass_values(op: ir.Operation) -> Iterator[tuple[ir.Value, ir.Value]]:
    """Yields the values that enter or leave a body by an op, each with the value that it becomes."""
    if views.Loop.isa(op):
        initial, body = views.Loop(op).initial, views.Loop(op).body.blocks[0]
        yield from zip(initial, list(body.arguments)[2:], strict=True)
        yield from zip(initial, op.results, strict=False)
    elif views.Yield.isa(op):
        owner, values = op.parent, list(op.operands)
        if views.Loop.isa(owner):
            yield from zip(values[1:], list(op.block.arguments)[2:], strict=False)
            yield from zip(values[1:], owner.results, strict=True)
        else:
            yield from zip(values, owner.results, strict=True)
