"""graph-to-linalg: the bodies of kernels from `graph` ops to `linalg` on tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.dialects import graph
from mlc.dialects.graph import write_defaults
from mlc.dialects.graph.sizes import Undecided
from mlc.passes.base import Pass, PassError, option
from mlc.passes.common.dynamic_dims import current, run_time_dims
from mlc.passes.common.kernel_functions import PRECISION, is_kernel, is_on_tensors, precision_of
from mlc.passes.common.narrow_floats import keep_multiplied
from mlc.passes.common.rewriting import users
from mlc.passes.common.signedness import drop_signedness
from mlc.passes.lowering.common.rule import RULES
from mlc.passes.lowering.rules import (
    attention,  # noqa: F401 - imported for the rules that they register
    compaction,  # noqa: F401 - imported for the rules that they register
    contraction,  # noqa: F401 - imported for the rules that they register
    creation,  # noqa: F401 - imported for the rules that they register
    determinant,  # noqa: F401 - imported for the rules that they register
    elementwise,  # noqa: F401 - imported for the rules that they register
    indexed,  # noqa: F401 - imported for the rules that they register
    lrn,  # noqa: F401 - imported for the rules that they register
    movement,  # noqa: F401 - imported for the rules that they register
    normalisation,  # noqa: F401 - imported for the rules that they register
    ordering,  # noqa: F401 - imported for the rules that they register
    padding,  # noqa: F401 - imported for the rules that they register
    quantisation,  # noqa: F401 - imported for the rules that they register
    reduction,  # noqa: F401 - imported for the rules that they register
    scan,  # noqa: F401 - imported for the rules that they register
    scatter,  # noqa: F401 - imported for the rules that they register
    suppression,  # noqa: F401 - imported for the rules that they register
    tree,  # noqa: F401 - imported for the rules that they register
    unique,  # noqa: F401 - imported for the rules that they register
    window,  # noqa: F401 - imported for the rules that they register
    winograd,  # noqa: F401 - imported for the rules that they register
)
from mlc.passes.lowering.rules.window import whole_windows
from mlc.passes.lowering.widening import lower_widened, needs_widening

CONTRACTIONS = (graph.Matmul.NAME, graph.MatmulPacked.NAME, graph.Attention.NAME)


def _read_by_contractions_only(op: ir.Operation) -> bool:
    """Whether `op` is a transpose that only contractions read: it disappears into their indexing maps. Not
    one of 16-bit floats: a conversion reads it, with which it becomes a separate computation, fused later."""
    if op.name != graph.Transpose.NAME:
        return False
    readers = users(graph.Transpose(op).result)
    return bool(readers) and all(
        reader.name in CONTRACTIONS and not needs_widening(reader) for reader in readers
    )


def lower_kernel(kernel: ir.Operation) -> None:
    """Replaces every graph op of `kernel`. Raises PassError listing all ops that have no rule."""
    ops = [op.operation for op in func.Func(kernel).entry_block if op.operation.name.startswith("graph.")]
    missing = [op for op in ops if op.name not in RULES]
    if missing:
        notes = [(f"'{op.name}'", op.location) for op in missing[1:]]
        raise PassError(f"no lowering to linalg for '{missing[0].name}'", missing[0].location, notes)
    for op in ops:
        if PRECISION in op.attributes:
            kernel.attributes[PRECISION] = ir.StringAttr.get(precision_of(op))
    leftover = []
    for op in ops:
        write_defaults(op)
        if not _read_by_contractions_only(op):
            _replace(op)
        else:
            leftover.append(op)
    for op in leftover:
        op.erase()
    drop_signedness(kernel)


def _replace(op: ir.Operation) -> None:
    with ir.InsertionPoint(op), op.location:
        values = _apply_rule(op)
    for old, new in zip(op.results, values, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _apply_rule(op: ir.Operation) -> list[ir.Value]:
    """Returns the values that the op's rule builds. Raises PassError if it needs the size of a dynamic
    dim."""
    rule = RULES[op.name]
    try:
        return lower_widened(op, rule) if needs_widening(op) else rule(op)
    except (Undecided, TypeError) as error:
        if current() is None:
            raise
        why = f"'{op.name}' is not compiled for dims that are known only at run time: {error}"
        raise PassError(why, op.location) from None


def protect_arguments(kernel: ir.Operation) -> None:
    """Bufferisation must not compute results in a kernel's inputs: they are the caller's."""
    read_only = ir.DictAttr.get({"bufferization.writable": ir.BoolAttr.get(False)})
    view = func.Func(kernel)
    view.arg_attrs = [read_only] * len(view.arguments)


@dataclass(frozen=True)
class GraphToLinalg(Pass):
    """Lower the graph ops of every function marked `tloop.kernel` to linalg, tensor, arith and math ops."""

    name: ClassVar[str] = "graph-to-linalg"
    anchor: ClassVar[str] = "func.func"
    exactness: ClassVar[str] = "rounding"

    keep_f8: bool = option(
        False,
        help="f8E4M3FN and f8E5M2 stay what they are, for products of them; else they are integers",
    )
    whole_windows: bool = option(
        False,
        help="a pool is one computation, as for thread blocks, which cannot read tiles of one at an offset",
    )

    def run(self, op: ir.Operation) -> None:
        if is_kernel(op) and is_on_tensors(op):
            with run_time_dims(op), keep_multiplied(self.keep_f8), whole_windows(self.whole_windows):
                lower_kernel(op)
            protect_arguments(op)
