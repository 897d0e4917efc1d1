"""llvm-verify-translatable: no op is left that cannot be translated to LLVM IR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import builtin, ir
from mlc.passes.base import Pass, PassError
from mlc.passes.common.rewriting import collect_ops

TRANSLATABLE = frozenset({"llvm", "nvvm", "rocdl", "omp", "builtin"})


def is_translatable(op: ir.Operation) -> bool:
    """Whether LLVM IR has `op`: the translation crashes on casts that are left, and on other dialects'
    ops."""
    name = op.name
    return name.partition(".")[0] in TRANSLATABLE and name != builtin.UnrealizedConversionCast.NAME


@dataclass(frozen=True)
class VerifyTranslatable(Pass):
    """Fail with every op that `mlc-translate --mlir-to-llvmir` could not translate."""

    name: ClassVar[str] = "llvm-verify-translatable"

    def run(self, op: ir.Operation) -> bool:
        leftover = [inner for inner in collect_ops(op) if not is_translatable(inner)]
        if leftover:
            notes = [(f"and '{inner.name}'", inner.location) for inner in leftover[1:10]]
            raise PassError(
                f"'{leftover[0].name}' cannot be translated to LLVM IR ({len(leftover)} such ops)",
                leftover[0].location,
                notes,
            )
        return False
