"""llvm-alias-scopes: loads and stores say which argument they go to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, llvm
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops

FACTS, NOALIAS = "arg_attrs", "llvm.noalias"


@dataclass(frozen=True)
class AliasScopes(Pass):
    """Give the loads and stores of a kernel's body an alias scope for each argument.

    The threads' part of a kernel becomes a separate function, whose pointers come out of a struct: there
    LLVM no longer knows that they are `noalias`, reads indices and factors again after every store, and
    leaves loops scalar.
    """

    name: ClassVar[str] = "llvm-alias-scopes"

    def run(self, op: ir.Operation) -> bool:
        functions = [child.operation for child in op.regions[0].blocks[0]]
        found = [function for function in functions if FACTS in function.attributes]
        bodies = [function for function in found if len(function.regions[0].blocks)]
        for function in bodies:
            _add_scopes(function)
        return bool(bodies)


def _add_scopes(function: ir.Operation) -> None:
    arguments, facts = function.regions[0].blocks[0].arguments, function.attributes[FACTS]
    alone = [
        argument for argument, fact in zip(arguments, facts, strict=True) if NOALIAS in ir.DictAttr(fact)
    ]
    scopes = _distinct_scopes(len(alone))
    marks = {
        argument: (ir.ArrayAttr.get([own]), ir.ArrayAttr.get([scope for scope in scopes if scope != own]))
        for argument, own in zip(alone, scopes, strict=True)
    }
    for access in collect_ops(function, (llvm.Load.NAME, llvm.Store.NAME)):
        address = llvm.Load(access).addr if llvm.Load.isa(access) else llvm.Store(access).addr
        if (mark := marks.get(base_pointer(address))) is not None:
            access.attributes["alias_scopes"], access.attributes["noalias_scopes"] = mark


def _distinct_scopes(count: int) -> list[ir.Attribute]:
    """Returns scopes of a new domain."""
    domain = f"#llvm.alias_scope_domain<id = distinct[{count}]<>>"
    scopes = [f"#llvm.alias_scope<id = distinct[{index}]<>, domain = {domain}>" for index in range(count)]
    return list(ir.ArrayAttr(ir.Attribute.parse(f"[{', '.join(scopes)}]")))


def base_pointer(address: ir.Value) -> ir.Value:
    """Returns the pointer from which an address is computed."""
    while (element := llvm.GEP.defining(address)) is not None:
        address = element.base
    return address
