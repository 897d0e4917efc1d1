"""graph-merge-size-names: one name per integer that sizes are computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.dims.function_dims import ARGUMENTS, NAMES, argument_dims
from mlc.dialects.graph.sizes import Size, substitute, symbol
from mlc.dialects.graph.sizes.text import parse_size
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops


@dataclass(frozen=True)
class MergeSizeNames(Pass):
    """Give equal integers one name: where several names of `graph.sizes` stand for the same element of the
    same value, as after CSE of the ops that compute it, the first one replaces the others.

    Dims that differ in such names only become equal, so that broadcasts and checks of them disappear.
    """

    name: ClassVar[str] = "graph-merge-size-names"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        return merge_size_names(op)


def merge_size_names(function: ir.Operation) -> bool:
    """Does so in a function; returns whether there were any to merge."""
    ops = collect_ops(function)
    known = _other_names([op for op in ops if graph.Sizes.isa(op)], _argument_names(function))
    if not known:
        return False
    with function.context:
        for op in ops:
            _rename(op, known)
    return True


def _argument_names(function: ir.Operation) -> frozenset[str]:
    sizes = [dim for shape in argument_dims(function) for dim in shape if isinstance(dim, Size)]
    return frozenset().union(*(size.names for size in sizes))


def _other_names(sizes: list[ir.Operation], fixed: frozenset[str]) -> Mapping[str, str]:
    """Returns the names that are not the first ones of their elements, each with the name that is. The names
    `fixed` are left as they are."""
    first: dict[tuple[ir.Value, int], str] = {}
    known: dict[str, str] = {}

    def resolve(name: str) -> str:
        """Returns the name that replaces a name, or the name itself."""
        while name in known:
            name = known[name]
        return name

    for op in sizes:
        names = iter(graph.Sizes(op).names)
        for vector in op.operands:
            for index in range(vector.type.shape[0]):
                name = resolve(next(names))
                if not name or name in fixed:
                    continue
                other = resolve(first.setdefault((vector, index), name))
                if other != name:
                    known[name] = other
    return {name: resolve(name) for name in known}


def _rename(op: ir.Operation, known: Mapping[str, str]) -> None:
    """Replaces names in the attributes of an op."""
    sizes = {name: symbol(other) for name, other in known.items()}
    texts = [name for name in (NAMES, ARGUMENTS) if name in op.attributes]
    if graph.Sizes.isa(op):
        names = [known.get(name, name) for name in graph.Sizes(op).names]
        op.attributes["names"] = ir.ArrayAttr.get([ir.StringAttr.get(name) for name in names])
        texts.append("dims")
    for attribute in texts:
        op.attributes[attribute] = _rename_in(op.attributes[attribute], sizes)


def _rename_in(attribute: Any, sizes: Mapping[str, Size]) -> ir.Attribute:
    """Returns the text of a size, or an array of arrays of such texts, with the names replaced."""
    if isinstance(attribute, ir.ArrayAttr):
        return ir.ArrayAttr.get([_rename_in(entry, sizes) for entry in attribute])
    if not attribute.value:
        return attribute
    return ir.StringAttr.get(str(substitute(parse_size(attribute.value), sizes)))
