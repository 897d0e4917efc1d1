"""tloop-lower-copies: `memref.copy` becomes a loop nest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, linalg, memref
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import apply_patterns, erase_op


def lower_copy(op: ir.Operation) -> bool:
    """Replaces a copy by loops: of a strided buffer it would become a call of MLIR's C runner library, which
    kernels do not link."""
    copy = memref.Copy(op)
    if copy.source != copy.target:
        linalg.copy(copy.source, outs=[copy.target])
    erase_op(op)
    return True


@dataclass(frozen=True)
class LowerCopies(Pass):
    """Replace `memref.copy` by `linalg.copy` (loops), and drop copies of a buffer to itself."""

    name: ClassVar[str] = "tloop-lower-copies"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        return apply_patterns(op, {memref.Copy.NAME: lower_copy})
