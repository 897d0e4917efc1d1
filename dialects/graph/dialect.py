"""The MLIR dialect `graph`: one Python-defined op class per `OpSpec`.

IRDL's messages name neither op nor field, so the classes declare to it how many operands there are and no
more: every other check is in `verifier`, which names both.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.emitted_once import emitted_once
from mlc.dialects.graph.ops.control import YIELD
from mlc.dialects.graph.reference_page import document

from .attributes import attribute
from .spec import OpSpec, ShapeError, specs
from .verifier import check, describe


class GraphDialect(ext.Dialect, name="graph"):
    """Mathematical operators on tensors with value semantics."""

    @classmethod
    def _emit_module(cls) -> ir.Module:
        return emitted_once(cls, super()._emit_module)

    @classmethod
    def load(cls) -> None:
        """Load the dialect into the current context, which must not have it."""
        op_classes()
        super().load()


class StringType(GraphDialect.Type, name="string"):
    """A string of the running call: text in UTF-8, of any length."""


class SequenceType(GraphDialect.Type, name="sequence"):
    """A sequence of tensors, of which each may have another shape; an optional is one of at most one element.
    It never changes."""


def _verify_invariants(self: ir.OpView) -> bool:
    try:
        check(self)
    except ShapeError as error:
        self.location.emit_error(describe(self, error))
        return False
    return True


def _operand_property(position: int, kind: str) -> property:
    def read(self: ir.OpView) -> Any:
        if kind == "variadic":
            return list(self.operands)[position:]
        return self.operands[position] if kind == "single" or position < len(self.operands) else None

    return property(read)


def _attribute_property(name: str) -> property:
    return property(lambda self: attribute(self, name))


def _fields(spec: OpSpec) -> dict[str, Any]:
    """The operands and results as `ext` declares them, of any type."""
    fields: dict[str, Any] = {}
    for operand in spec.operands:
        if operand.kind == "variadic":
            fields |= {f"{operand.name}_{place}": ext.Operand[Any] | None for place in range(operand.most)}
        else:
            fields[operand.name] = ext.Operand[Any] if operand.kind == "single" else ext.Operand[Any] | None
    if spec.most_results:
        names = spec.result_names(spec.most_results)
        fields |= {name.replace(" ", "_"): ext.Result[Any] | None for name in names}
    else:
        fields |= dict.fromkeys(spec.results, ext.Result[Any])
    return fields | dict.fromkeys(spec.regions, ext.Region)


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_")) + "Op"


def _traits(spec: OpSpec) -> list[Any]:
    return [ext.Pure, ir.IsTerminatorTrait] if spec.name == YIELD else [ext.Pure]


def _make_op_class(spec: OpSpec) -> type[ir.OpView]:
    "The op class: accessors for operands and attributes (as Python values), the verifier, no side effects."
    namespace: dict[str, Any] = {
        "__doc__": document(spec),
        "__module__": __name__,
        "__annotations__": _fields(spec),
        "spec": spec,
        # What regions hold is verified before what is around them.
        "verify_region_invariants" if spec.regions else "verify_invariants": _verify_invariants,
    }
    accessors: dict[str, property] = {
        declared.name: _attribute_property(declared.name) for declared in spec.attributes
    }
    accessors |= {
        operand.name: _operand_property(place, operand.kind) for place, operand in enumerate(spec.operands)
    }

    op_class = type(ext.Operation)(
        _class_name(spec.name), (GraphDialect.Operation,), namespace, name=spec.name, traits=_traits(spec)
    )
    for name, accessor in accessors.items():
        setattr(op_class, name, accessor)
    return op_class


@cache
def op_classes() -> Mapping[str, type[ir.OpView]]:
    """The op classes by op name, made on first use: they cost as much time as all the rest of the import."""
    return {name: _make_op_class(spec) for name, spec in specs().items()}
