"""graph-verify-fixed-sizes: no data say what sizes a program's tensors have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.verification import fail_on
from mlc.passes.graph.common.values import is_static

MAIN = "main"


def sized_by_data(root: ir.Operation) -> Iterator[tuple[str, ir.Location]]:
    """Every op of `@main` that gives tensors of unknown sizes of such of known ones, as a message and a
    location."""
    for function in [op.operation for op in root.regions[0].blocks[0]]:
        if function.name != func.Func.NAME or func.Func(function).sym_name != MAIN:
            continue
        for op in collect_ops(function):
            known = all(is_static(value) for value in op.operands)
            if op.name.startswith("graph.") and known and not all(map(is_static, op.results)):
                reason = "the data say what sizes its result has, and the plan of a GPU has fixed ones"
                yield f"'{op.name}' op cannot be part of a GPU's program: {reason}", op.location


@dataclass(frozen=True)
class VerifyFixedSizes(Pass):
    """Check that no op of `@main` gives results of data-dependent sizes, for GPUs: the plan of a GPU's
    program has fixed offsets and sizes, also for what the processor computes of it.

    Reports every violation; changes nothing.
    """

    name: ClassVar[str] = "graph-verify-fixed-sizes"

    def run(self, op: ir.Operation) -> None:
        fail_on(sized_by_data(op))
