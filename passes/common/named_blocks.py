"""Computations that schedules find by a name: ops that carry `tloop.block = "name"`."""

from __future__ import annotations

from mlc.bindings import ir

BLOCK_TAG = "tloop.block"


def carriers(kernel: ir.Operation, tag: str) -> list[ir.Operation]:
    """Returns the ops of the kernel with the attribute `tag`, given as `name` or as `name = "value"`."""
    name, _, value = tag.partition(" = ")
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if name in op.attributes and value in ("", str(op.attributes[name])):
            found.append(op)
        return ir.WalkResult.ADVANCE

    kernel.walk(visit)
    return found


def tagged_blocks(kernel: ir.Operation) -> list[ir.Operation]:
    """Returns the ops of the kernel that carry a block tag."""
    return carriers(kernel, BLOCK_TAG)


def name_block(op: ir.Operation, name: str) -> None:
    """Names the computation for schedules."""
    op.attributes[BLOCK_TAG] = ir.StringAttr.get(name)
