"""The pattern driver: fixed point, erased ops, locations."""

from __future__ import annotations

import pytest

from mlc.bindings import arith, create_context, ir, parse_module, position
from mlc.passes.base import PassError
from mlc.passes.common.rewriting import (
    apply_patterns,
    collect_ops,
    defining_op,
    erase_if_unused,
    erase_op,
    has_one_use,
    replace_op,
    users,
)


def parse(body: str) -> ir.Module:
    return parse_module(f"func.func @f(%a: i32, %b: i32) -> i32 {{\n{body}\n}}", create_context(), "t.mlir")


def fold_add_zero(op: ir.Operation) -> bool:
    constant = defining_op(op.operands[1], "arith.constant")
    if constant is None or ir.IntegerAttr(constant.attributes["value"]).value != 0:
        return False
    replace_op(op, op.operands[0])
    erase_if_unused(constant)
    return True


def test_runs_to_the_fixed_point() -> None:
    zero = "%z = arith.constant 0 : i32\n"
    module = parse(f"{zero}%0 = arith.addi %a, %z : i32\n%1 = arith.addi %0, %z : i32\nreturn %1 : i32")
    assert apply_patterns(module.operation, {"arith.addi": fold_add_zero})
    assert [op.name for op in collect_ops(module.operation)] == ["func.return", "func.func"]
    assert not apply_patterns(module.operation, {"arith.addi": fold_add_zero})


def test_new_ops_stand_before_the_op_and_have_its_location() -> None:
    module = parse("%0 = arith.addi %a, %b : i32\nreturn %0 : i32")

    def to_mul(op: ir.Operation) -> bool:
        replace_op(op, arith.muli(op.operands[0], op.operands[1]))
        return True

    apply_patterns(module.operation, {"arith.addi": to_mul})
    (multiplication,) = collect_ops(module.operation, "arith.muli")
    assert position(multiplication.location) == ("t.mlir", 2, 6)
    assert module.operation.verify()


def test_ops_erased_by_another_pattern_are_skipped() -> None:
    """Each addition erases its user, which is later in the same sweep, with what is inside."""
    loop = "scf.execute_region { %9 = arith.addi %a, %b : i32\n scf.yield }\n"
    module = parse(f"%0 = arith.addi %a, %b : i32\n{loop}{loop}return %a : i32")
    visited: list[str] = []

    def erase_regions(op: ir.Operation) -> bool:
        visited.append(op.name)
        regions = collect_ops(module.operation, "scf.execute_region")
        for region in regions:
            erase_op(region)
        return bool(regions)

    apply_patterns(module.operation, {"arith.addi": erase_regions})
    assert visited == ["arith.addi", "arith.addi"]  # the one outside, in two sweeps


def test_no_fixed_point_is_a_failure() -> None:
    module = parse("%0 = arith.addi %a, %b : i32\nreturn %0 : i32")

    def swap(op: ir.Operation) -> bool:
        replace_op(op, arith.addi(op.operands[1], op.operands[0]))
        return True

    with pytest.raises(PassError, match=r"fixed point in 3 sweeps; the last one changed 'arith\.addi'"):
        apply_patterns(module.operation, {"arith.addi": swap}, max_iterations=3)


def test_uses() -> None:
    module = parse("%0 = arith.addi %a, %a : i32\nreturn %0 : i32")
    (addition,) = collect_ops(module.operation, "arith.addi")
    a, b = module.body.operations[0].regions[0].blocks[0].arguments
    assert has_one_use(addition.results[0]) and not has_one_use(a) and not has_one_use(b)
    assert [user.name for user in users(a)] == ["arith.addi"]
    assert defining_op(a) is None
    assert not erase_if_unused(addition)
