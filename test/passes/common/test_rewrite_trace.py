"""Traces of rewrites: new ops, changed ops, replacements, and ops that are gone."""

from __future__ import annotations

from functools import partial

from mlc.bindings import arith, create_context, ir, parse_module
from mlc.passes.common.patterns import FirstOf, Pattern, pattern_name
from mlc.passes.common.rewrite_trace import Rewrite, RewriteTracer
from mlc.passes.common.rewriting import apply_patterns, collect_ops, erase_op, replace_op, trace_patterns
from mlc.passes.statistics import Statistic, begin_collecting, end_collecting


def trace(body: str, patterns: dict[str, Pattern]) -> list[Rewrite]:
    module = parse_module(f"func.func @f(%a: i32) -> i32 {{\n{body}\n}}", create_context(), "t.mlir")
    rewrites: list[Rewrite] = []
    with trace_patterns(RewriteTracer(rewrites.append)):
        apply_patterns(module.operation, patterns)
    assert module.operation.verify()
    return rewrites


def to_mul(op: ir.Operation) -> bool:
    replace_op(op, arith.muli(op.operands[0], op.operands[1]))
    return True


def mark(op: ir.Operation) -> bool:
    if "marked" in op.attributes:
        return False
    op.attributes["marked"] = ir.UnitAttr.get()
    return True


def never(op: ir.Operation) -> bool:
    return False


ADD = "%0 = arith.addi %a, %a : i32\nreturn %0 : i32"


def test_new_ops_and_the_value_that_stands_for_the_result() -> None:
    (rewrite,) = trace(ADD, {"arith.addi": to_mul})
    assert rewrite.pattern == f"{__name__}.to_mul"
    assert rewrite.location == "t.mlir:2:6"
    assert rewrite.before == "%0 = arith.addi %arg0, %arg0 : i32"
    assert rewrite.after == ("%0 = arith.muli %arg0, %arg0 : i32",)
    assert rewrite.values == ("%0",)


def test_ops_that_change_in_place() -> None:
    (rewrite,) = trace(ADD, {"arith.addi": mark})
    assert (rewrite.after, rewrite.values) == (("%0 = arith.addi %arg0, %arg0 {marked} : i32",), ())


def test_memory_of_erased_ops_that_new_ops_take() -> None:
    """Each rewrite erases an op and builds one of the same size, often at the same address."""

    def rebuild(op: ir.Operation) -> bool:
        if len(collect_ops(op.parent.operation, "arith.muli")) == 20:
            return False
        value = op.operands[1]
        erased = value.owner
        value.replace_all_uses_with(op.operands[0])
        erase_op(erased)
        arith.muli(op.operands[0], op.operands[0])
        return True

    adds = "".join(f"%{i} = arith.constant {i} : i32\n%s{i} = arith.addi %a, %{i} : i32\n" for i in range(20))
    rewrites = [
        rewrite
        for rewrite in trace(f"{adds}return %a : i32", {"arith.addi": rebuild})
        if "constant" not in rewrite.before
    ]
    assert len(rewrites) == 20
    assert all(sum("muli" in text for text in rewrite.after) == 1 for rewrite in rewrites)


def test_replacement_by_an_argument_and_erasure_of_the_parent() -> None:
    def use_argument(op: ir.Operation) -> bool:
        replace_op(op, op.operands[0])
        return True

    def erase_parent(op: ir.Operation) -> bool:
        erase_op(op.parent)
        return True

    (rewrite,) = trace(ADD, {"arith.addi": use_argument})
    assert (rewrite.after, rewrite.values) == ((), ("%arg0",))
    region = (
        f"scf.execute_region {{ %9 = arith.addi %a, %a : i32\nscf.yield }}\n{ADD.replace('addi', 'muli')}"
    )
    (rewrite,) = trace(region, {"arith.addi": erase_parent})
    assert (rewrite.after, rewrite.values) == ((), ())


def test_names_of_patterns_that_are_put_together() -> None:
    several = FirstOf(never, partial(to_mul))
    (rewrite,) = trace(ADD, {"arith.addi": several})
    assert rewrite.pattern == pattern_name(several) == f"{__name__}.to_mul"
    assert pattern_name(FirstOf(never)) == "common.patterns.FirstOf"


def test_the_driver_counts_the_rewrites_of_each_pattern() -> None:
    statistics: dict[str, Statistic] = {}
    begin_collecting(statistics)
    try:
        trace(ADD, {"arith.addi": to_mul, "arith.muli": mark})
    finally:
        end_collecting()
    counted = {name: statistic.value for name, statistic in statistics.items()}
    assert counted == {f"{__name__}.to_mul": 1, f"{__name__}.mark": 1}
