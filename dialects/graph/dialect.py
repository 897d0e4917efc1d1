"""The MLIR dialect `graph`: one Python-defined op class per `OpSpec`.

IRDL's messages name neither op nor field, so the classes declare to it the number of operands and no
more: every other check is in `verifier`, which names both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.cached_definition import load_definition
from mlc.dialects.graph.ops.checking import CHECKS
from mlc.dialects.graph.ops.control import YIELD
from mlc.dialects.graph.reference_page import document
from mlc.threads import once

from .attributes import attribute
from .regions import has_effect
from .spec import OpSpec, ShapeError, specs
from .verifier import check, describe


class GraphDialect(ext.Dialect, name="graph"):
    """Mathematical operators on tensors with value semantics."""

    @classmethod
    def _emit_module(cls) -> ir.Module:
        return load_definition(cls, super()._emit_module)

    @classmethod
    def load(cls) -> None:
        """Loads the dialect into the current context, which must not have it."""
        op_classes()
        super().load()


class StringType(GraphDialect.Type, name="string"):
    """A string of the running call: text in UTF-8, of any length."""


class SequenceType(GraphDialect.Type, name="sequence"):
    """A sequence of tensors, whose shapes may differ; an optional is a sequence of at most one element.
    It is immutable."""


def _verify_invariants(self: ir.OpView) -> bool:
    try:
        check(self)
    except ShapeError as error:
        self.location.emit_error(describe(self, error))
        return False
    return True


def _operand_property(position: int, variadicity: str) -> property:
    def read_operand(self: ir.OpView) -> Any:
        if variadicity == "variadic":
            return list(self.operands)[position:]
        return self.operands[position] if variadicity == "single" or position < len(self.operands) else None

    return property(read_operand)


def _attribute_property(name: str) -> property:
    return property(lambda self: attribute(self, name))


def _fields(spec: OpSpec) -> dict[str, Any]:
    """Returns the operands and results as `ext` declares them, of any type."""
    fields: dict[str, Any] = {}
    for operand in spec.operands:
        if operand.variadicity == "variadic":
            fields |= {f"{operand.name}_{index}": ext.Operand[Any] | None for index in range(operand.most)}
        else:
            fields[operand.name] = (
                ext.Operand[Any] if operand.variadicity == "single" else ext.Operand[Any] | None
            )
    if spec.most_results:
        names = spec.result_names(spec.most_results)
        fields |= {name.replace(" ", "_"): ext.Result[Any] | None for name in names}
    else:
        fields |= dict.fromkeys(spec.results, ext.Result[Any])
    return fields | dict.fromkeys(spec.regions, ext.Region)


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_")) + "Op"


class _EndsCalls(ir.MemoryEffectsOpInterface):
    """The side effect of checks, and of control flow with checks in its bodies, for `canonicalize` and `cse`.
    A check whose result is used has none: it stays for its user, and equal ones become one."""

    @staticmethod
    def get_effects(op: ir.OpView, effects: Any) -> None:
        """Appends the effects of an op."""
        is_used = any(next(iter(value.uses), None) is not None for value in op.results)
        if has_effect(op) and (len(op.regions) or not is_used):
            effects.append(ir.MemoryEffect.Write)


def _traits(spec: OpSpec) -> list[Any]:
    if spec.name in CHECKS or spec.regions:
        return [_EndsCalls]
    return [ext.Pure, ir.IsTerminatorTrait] if spec.name == YIELD else [ext.Pure]


def _make_op_class(spec: OpSpec) -> type[ir.OpView]:
    """Returns the op class: accessors for operands and attributes (as Python values), the verifier."""
    namespace: dict[str, Any] = {
        "__doc__": document(spec),
        "__module__": __name__,
        "__annotations__": _fields(spec),
        "spec": spec,
        # Ops in regions are verified before the op that holds them.
        "verify_region_invariants" if spec.regions else "verify_invariants": _verify_invariants,
    }
    accessors: dict[str, property] = {
        declared.name: _attribute_property(declared.name) for declared in spec.attributes
    }
    accessors |= {
        operand.name: _operand_property(position, operand.variadicity)
        for position, operand in enumerate(spec.operands)
    }

    op_class = type(ext.Operation)(
        _class_name(spec.name), (GraphDialect.Operation,), namespace, name=spec.name, traits=_traits(spec)
    )
    for name, accessor in accessors.items():
        setattr(op_class, name, accessor)
    return op_class


@once
def op_classes() -> Mapping[str, type[ir.OpView]]:
    """Returns the op classes by op name, made on first use: that takes as long as the rest of the import."""
    GraphDialect.operations.clear()  # those of a call that Ctrl-C has ended
    return {name: _make_op_class(spec) for name, spec in specs().items()}
