"""Remarks: collected only inside the block, with the names in locations; patterns that report themselves."""

from __future__ import annotations

import pytest

from mlc.bindings import create_context, ir, parse_module
from mlc.passes.common.patterns import pattern_name, pattern_summary
from mlc.passes.common.rewriting import apply_patterns, erase_if_unused, replace_op
from mlc.passes.remarks import Remark, collect_remarks, listening, names_in, report_applied, report_missed

TEXT = """func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32 loc("/layer.0/Add")
  %1 = arith.muli %0, %a : i32 loc(fused["/layer.0/Mul", "/layer.1/Mul"])
  return %1 : i32
}"""


def module() -> ir.Module:
    return parse_module(TEXT, create_context(), "t.mlir")


def drop_product(op: ir.Operation) -> bool:
    """Rewrites a * b to a. Nobody would want this."""
    replace_op(op, op.operands[0])
    return True


def keep(op: ir.Operation) -> bool:
    report_missed(op, "keep", "it is wanted")
    return False


def test_the_driver_reports_applied_patterns_of_ops_that_are_gone() -> None:
    root = module()
    with collect_remarks() as remarks:
        apply_patterns(root.operation, {"arith.muli": drop_product, "arith.addi": keep})
    done, *rest = [remark for remark in remarks if remark.outcome == "applied"]
    assert not rest
    assert (done.op, done.rule, done.message) == (
        "arith.muli",
        f"{__name__}.drop_product",
        "Rewrites a * b to a",
    )
    assert done.nodes == ("/layer.0/Mul", "/layer.1/Mul")
    assert {remark.message for remark in remarks if remark.outcome == "missed"} == {"it is wanted"}


def test_nothing_is_kept_without_a_collector() -> None:
    root = module()
    with collect_remarks() as remarks:
        assert listening()
    assert not listening()
    apply_patterns(root.operation, {"arith.muli": drop_product, "arith.addi": keep})
    assert remarks == []


def test_collectors_nest() -> None:
    [add, *_] = module_ops(root := module())
    with collect_remarks() as outer:
        with collect_remarks() as inner:
            report_applied(add, "one")
        report_applied(add, "two", "because")
    assert [remark.rule for remark in inner] == ["one"]
    assert [(remark.rule, remark.message) for remark in outer] == [("one", ""), ("two", "because")]
    assert root.operation.verify()


def module_ops(root: ir.Module) -> list[ir.Operation]:
    return [op.operation for op in root.body.operations[0].regions[0].blocks[0].operations]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("loc(unknown)", ()),
        ('loc("node")', ("node",)),
        ('loc(fused["a", "b", "a"])', ("a", "b")),
        ('loc("in.mlir":3:5)', ("in.mlir:3:5",)),
        ('loc(callsite("a" at "in.mlir":3:5))', ("a", "in.mlir:3:5")),
        (r'loc("q\22uote and \\ and \C3\A9")', ('q"uote and \\ and \xe9',)),
    ],
)
def test_names_in_locations(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names


def test_names_of_real_locations_survive_printing() -> None:
    name = 'weird "name" \\ with\ttab, \xe9 and 1.5'
    with create_context():
        assert names_in(str(ir.Location.name(name))) == (name,)
    assert Remark("applied", "r", "op", 'loc("n")').nodes == ("n",)


def test_a_rule_inside_a_function_has_its_name_and_its_own_text() -> None:
    def inner(op: ir.Operation) -> bool:
        """Does this and that.

        Details.
        """
        return erase_if_unused(op)

    assert pattern_name(inner) == f"{__name__}.test_a_rule_inside_a_function_has_its_name_and_its_own_text"
    assert pattern_summary(inner) == "Does this and that"
    assert pattern_summary(keep) == ""
