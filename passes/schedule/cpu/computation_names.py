"""The names by which the schedule of a user finds the computations of a kernel."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.common.computation import Computation, computations, root_computation
from mlc.passes.common.named_blocks import BLOCK_TAG, tagged_blocks


def name_blocks(kernel: ir.Operation) -> None:
    """Names the computations of a kernel, unless they have names.

    "root" computes the result. Where one other is a reduction it is "anchor", and what computes its initial
    value "init". The rest are "producer0", "producer1", ... in program order.
    """
    if tagged_blocks(kernel):
        return
    root, everything = root_computation(kernel), computations(kernel)
    names: list[tuple[Computation, str]] = [(root, "root")] if root is not None else []
    reducing = [each for each in everything if each.reductions and (root is None or each.op != root.op)]
    if len(reducing) == 1:
        names.append((reducing[0], "anchor"))
    names += [(each, "init") for each in everything if _starts(each, [*reducing, *([root] if root else [])])]
    for computation, name in names:
        computation.op.attributes[BLOCK_TAG] = ir.StringAttr.get(name)
    rest = [each for each in everything if BLOCK_TAG not in each.op.attributes]
    for index, computation in enumerate(rest):
        computation.op.attributes[BLOCK_TAG] = ir.StringAttr.get(f"producer{index}")


def _starts(computation: Computation, candidates: list[Computation]) -> bool:
    """Whether the computation is the initial value of the only reduction among the candidates."""
    reducing = [each for each in candidates if each.reductions]
    return len(reducing) == 1 and reducing[0].init == computation.result
