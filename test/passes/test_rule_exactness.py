"""Every rule of the pattern passes on graphs keeps what its class of exactness promises.

Exact rules keep every bit, of NaN, infinities, zeros of both signs, denormals and the edges of integers;
rules of rounding keep ordinary numbers but for rounding; approximate ones where their assumptions hold.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from mlc.bindings import func, ir
from mlc.dialects import create_context, graph
from mlc.passes import registry
from mlc.passes.exactness import CLASSES, exactness_of
from mlc.passes.graph import eliminate_empty, simplify
from mlc.passes.graph.rules import Rules, joined
from mlc.passes.graph.values import Rule, replacing
from mlc.passes.patterns import pattern_name
from rule_examples import EXAMPLES, Example
from rule_programs import Program, compiled
from rule_values import FLOATS, ORDINARY, Values, arguments

# Exact rules of passes whose own tests compare numbers. Of results without elements there are none.
ELSEWHERE = [
    "eliminate_concat_split.computed_whole",
    "eliminate_concat_split.slice_of_some_operands",
    "eliminate_empty.empty_result",
    "fold_padding.into_window",
    "movement_rules.grow_after_movement",
    "movement_rules.look_up_first",
    "movement_rules.shrink_before_movement",
    "padded_slices.slice_of_pad",
]
# All rules of these passes have examples, of the others the exact ones.
OWN = joined(simplify.RULES, eliminate_empty.RULES)


def rules_of(name: str) -> Rules:
    """The table of a pass; none where a pass applies no rules."""
    cls = registry.lookup(name)
    assert cls is not None
    return getattr(sys.modules[cls.__module__], "RULES", {})


PASSES = [each for each in registry.names() if each.startswith("graph-") and each != "graph-to-linalg"]
RULES = joined(*map(rules_of, PASSES))
TOLERANCE = 2e-5


def name_of(rule: Rule) -> str:
    return pattern_name(rule).removeprefix("graph.")


def all_rules(table: Rules = RULES) -> dict[str, Rule]:
    return {name_of(rule): rule for rules in table.values() for rule in rules}


def test_every_exact_rule_has_examples() -> None:
    """A rule that declares nothing is exact: each is known to be."""
    exact = {name for name, rule in all_rules().items() if exactness_of(rule) == "exact"}
    assert sorted(exact - set(EXAMPLES)) == ELSEWHERE


def test_other_rules_have_examples() -> None:
    assert sorted(set(all_rules(OWN)) - set(EXAMPLES) - set(ELSEWHERE)) == []


def test_no_example_is_of_nothing() -> None:
    assert sorted(set(EXAMPLES) - set(all_rules())) == []


def build(name: str, inputs: dict[str, np.ndarray], examples: Sequence[Example]) -> list[ir.Operation]:
    """A function that returns the examples' ops; the ops."""
    kinds = [
        ir.RankedTensorType.get(each.shape, ir.Type.parse(graph.elements.element_of(each.dtype)))
        for each in inputs.values()
    ]
    function = func.FuncOp(name, ir.FunctionType.get(kinds, []))
    block = function.add_entry_block()
    with ir.InsertionPoint(block):
        values = Values(dict(zip(inputs, block.arguments, strict=True)))
        results = [example(values) for example in examples]
        func.ReturnOp(results)
    types = ir.FunctionType.get(kinds, [each.type for each in results])
    function.attributes["function_type"] = ir.TypeAttr.get(types)
    return [each.owner for each in results]


def rewrite(rule: str, op: ir.Operation) -> str:
    """Applies the rules of one name to an op; the op's name. The op must have changed."""
    name, text = op.name, op.get_asm(assume_verified=True)
    chosen = [each for each in RULES[name] if name_of(each) == rule]
    with ir.InsertionPoint(op):
        assert any(replacing(each)(op) for each in chosen), f"{rule} leaves {text}"
    return name


class Case:
    """Programs of all examples of some classes before and after their rules, for one set of floats.

    `names` are the rules' names, one per example, `ops` the ops' names.
    """

    def __init__(self, floats: np.ndarray, classes: tuple[str, ...]) -> None:
        self.inputs = arguments(floats)
        rules = [name for name, rule in all_rules().items() if exactness_of(rule) in classes]
        self.names = [name for name in rules for _ in EXAMPLES.get(name, [])]
        examples = [example for name in rules for example in EXAMPLES.get(name, [])]
        self.module = ir.Module.create()
        with ir.InsertionPoint(self.module.body):
            build("before", self.inputs, examples)
            ops = build("after", self.inputs, examples)
        self.ops = [rewrite(name, op) for name, op in zip(self.names, ops, strict=True)]

    def results(self, program: Program) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        """The rule and op of each example, and what it gives before and after."""
        both = [program.run(side, list(self.inputs.values())) for side in ("before", "after")]
        titles = [f"{name} on {op}" for name, op in zip(self.names, self.ops, strict=True)]
        return zip(titles, *both, strict=True)


def failures(
    floats: np.ndarray, classes: tuple[str, ...], wrong: Callable[[np.ndarray, np.ndarray], str]
) -> list[str]:
    with create_context(), ir.Location.unknown():
        case = Case(floats, classes)
        with compiled(case.module) as program:
            found = [(name, wrong(before, after)) for name, before, after in case.results(program)]
    return [f"{name}: {text}" for name, text in found if text]


def different_bits(before: np.ndarray, after: np.ndarray) -> str:
    """The first element of other bits; one NaN is as good as another."""
    assert before.shape == after.shape and before.dtype == after.dtype
    same = before.view(f"u{before.itemsize}") == after.view(f"u{after.itemsize}")
    if before.dtype.kind == "f":
        same |= np.isnan(before) & np.isnan(after)
    places = np.argwhere(~same)
    return f"{after[tuple(places[0])]} instead of {before[tuple(places[0])]}" if len(places) else ""


def far_away(before: np.ndarray, after: np.ndarray) -> str:
    a, b = after.astype(np.float64), before.astype(np.float64)
    close = np.isclose(a, b, TOLERANCE, TOLERANCE) | (a == b)
    places = np.argwhere(~close)
    return f"{after[tuple(places[0])]} instead of {before[tuple(places[0])]}" if len(places) else ""


def test_exact_rules_keep_every_bit() -> None:
    assert failures(FLOATS, ("exact",), different_bits) == []


def test_other_rules_keep_ordinary_numbers() -> None:
    assert failures(ORDINARY, ("rounding", "approximate"), far_away) == []


def test_every_op_of_an_exact_rule_has_an_example() -> None:
    with create_context(), ir.Location.unknown():
        case = Case(FLOATS, ("exact",))
    missing = [
        (op, name_of(rule))
        for op, rules in RULES.items()
        for rule in rules
        if exactness_of(rule) == "exact" and name_of(rule) not in ELSEWHERE
        if (name_of(rule), op) not in zip(case.names, case.ops, strict=True)
    ]
    assert missing == []


def test_the_comparison_sees_the_sign_of_zero_and_not_that_of_nan() -> None:
    zeros, nans = np.array([0.0, -0.0], np.float32), np.array([np.nan, -np.nan], np.float32)
    assert different_bits(zeros, zeros[::-1].copy())
    assert not different_bits(nans, nans[::-1].copy())


@pytest.mark.parametrize("name", PASSES)
def test_passes_say_the_worst_that_their_rules_do(name: str) -> None:
    """By default, that is: approximate rules are off."""
    classes = {exactness_of(rule) for each in rules_of(name).values() for rule in each} - {"approximate"}
    cls = registry.lookup(name)
    assert cls is not None
    if classes:
        assert cls.exactness == max(classes, key=CLASSES.index)
