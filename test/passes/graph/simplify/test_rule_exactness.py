"""Every rule of the pattern passes on graphs keeps what its class of exactness promises.

Exact rules keep every bit, of NaN, infinities, zeros of both signs, denormals and the edges of integers;
rules of rounding keep normal values but for rounding; approximate ones where their assumptions hold.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from rule_examples import EXAMPLES, LEFT, Example
from rule_programs import Program, compile_module
from rule_values import (
    FLOATS,
    HALVES,
    INTEGERS,
    NORMAL,
    OF_TYPE,
    TRUTH,
    UNSIGNED,
    WHOLE,
    Values,
    arguments,
)

from mlc.bindings import func, ir
from mlc.dialects import create_context, graph
from mlc.passes import registry
from mlc.passes.common.patterns import pattern_name
from mlc.passes.common.rewriting import has_uses
from mlc.passes.exactness import CLASSES, exactness_of
from mlc.passes.graph.common.rules import Rules, join_tables
from mlc.passes.graph.common.values import Rule, dtype, replacing
from mlc.passes.graph.simplify import eliminate_empty, simplify

# Of results without elements there are no bits; checks are no kernels.
ELSEWHERE = ["eliminate_empty.empty_result", "identity_rules.check_of_truth"]
# All rules of these passes have examples, of the others the exact ones.
OWN = join_tables(simplify.RULES, eliminate_empty.RULES)


def rules_of(name: str) -> Rules:
    """The table of a pass; none where a pass applies no rules."""
    cls = registry.lookup(name)
    assert cls is not None
    return getattr(sys.modules[cls.__module__], "RULES", {})


PASSES = [name for name in registry.names() if name.startswith("graph-") and name != "graph-to-linalg"]
RULES = join_tables(*map(rules_of, PASSES))
# Tolerances for rounding, by the bytes of a float; integers wrap round equally in any order.
TOLERANCE = {4: 2e-5, 2: 1e-2}
# Each example is tested on values of every type that its ops take.
SPECIAL = [FLOATS, HALVES, INTEGERS, UNSIGNED, TRUTH]
USUAL = [NORMAL, NORMAL.astype(np.float16), WHOLE, UNSIGNED[1:]]
# Of integers these are roots and logarithms, which the compiler refuses.
OF_FLOATS = {f"graph.{name}" for name in ("erf", "reduce_l2", "reduce_log_sum", "reduce_log_sum_exp")}
CLASSES_OF_ELEMENTS = {"float": "f32", "signed": "i32", "unsigned": "ui8", "bool": "i1"}


def name_of(rule: Rule) -> str:
    return ".".join(pattern_name(rule).split(".")[-2:])


def all_rules(table: Rules = RULES) -> dict[str, Rule]:
    return {name_of(rule): rule for rules in table.values() for rule in rules}


def test_every_exact_rule_has_examples() -> None:
    """A rule that declares nothing is exact: each is tested."""
    exact = {name for name, rule in all_rules().items() if exactness_of(rule) == "exact"}
    assert sorted(exact - set(EXAMPLES)) == ELSEWHERE


def test_other_rules_have_examples() -> None:
    assert sorted(set(all_rules(OWN)) - set(EXAMPLES) - set(ELSEWHERE)) == []


def test_no_example_is_of_nothing() -> None:
    assert sorted(set(EXAMPLES) - set(all_rules())) == []


Examples = Sequence[tuple[str, Example]]


def build(
    name: str, inputs: dict[str, np.ndarray], examples: Examples
) -> tuple[Examples, list[ir.Operation]]:
    """Builds a function that returns the ops of the examples that take the inputs' types; returns both."""
    input_types = [
        ir.RankedTensorType.get(value.shape, ir.Type.parse(graph.elements.element_of(value.dtype)))
        for value in inputs.values()
    ]
    function = func.FuncOp(name, ir.FunctionType.get(input_types, []))
    block = function.add_entry_block()
    with ir.InsertionPoint(block):
        values = Values(dict(zip(inputs, block.arguments, strict=True)))
        built = [(example, attempt(values, example[1])) for example in examples]
        results = [value for _, value in built if value is not None]
        func.ReturnOp(results)
    types = ir.FunctionType.get(input_types, [result.type for result in results])
    function.attributes["function_type"] = ir.TypeAttr.get(types)
    # Those that did not fit leave dead ops.
    for op in list(block)[-2::-1]:
        if not has_uses(op.operation.results[0]):
            op.operation.erase()
    return [example for example, value in built if value is not None], [result.owner for result in results]


def attempt(values: Values, example: Example) -> ir.Value | None:
    """Builds the value of an example; None if its ops do not take the values' type or do not depend on it."""
    values.touched.clear()
    x = dtype(values.named["x"])
    try:
        value = example(values)
    except (graph.ShapeError, OverflowError):
        return None
    if x.kind != "f" and value.owner.name in OF_FLOATS:
        return None
    of_type = OF_TYPE | ({"i", "j"} if x.kind == "u" else set())
    return value if x == np.float32 or values.touched & of_type else None


def rewrite(rule: str, op: ir.Operation) -> bool:
    """Applies the rules of one name to an op; returns whether they changed it."""
    chosen = [candidate for candidate in RULES[op.name] if name_of(candidate) == rule]
    with ir.InsertionPoint(op):
        return any(replacing(candidate)(op) for candidate in chosen)


def class_of(op: ir.Operation) -> str:
    """The class of elements of an op: that of its first operand, or of the operands that `where` selects."""
    element = dtype(op.operands[1 if graph.Where.isa(op) else 0])
    return {"f": "float", "i": "signed", "u": "unsigned", "b": "bool", "c": "complex"}[element.kind]


class Case:
    """Programs of all examples of some classes before and after their rules, for one set of inputs.

    `tried` are the rules' and the ops' names and the classes of elements, one per example; `wrong` are
    examples in f32 that their rule should have changed, or left.
    """

    def __init__(self, elements: np.ndarray, classes: tuple[str, ...]) -> None:
        self.inputs = arguments(elements)
        rules = [name for name, rule in all_rules().items() if exactness_of(rule) in classes]
        examples = [
            (name, example) for name in rules for example in (*EXAMPLES.get(name, []), *LEFT.get(name, []))
        ]
        self.module = ir.Module.create()
        with ir.InsertionPoint(self.module.body):
            fitting, _ = build("before", self.inputs, examples)
            _, ops = build("after", self.inputs, fitting)
        self.tried = [(name, op.name, class_of(op)) for (name, _), op in zip(fitting, ops, strict=True)]
        changed = [rewrite(name, op) for (name, _), op in zip(fitting, ops, strict=True)]
        self.wrong = [
            f"{'changes' if did else 'leaves'} {' '.join(title)}"
            for (name, example), title, did in zip(fitting, self.tried, changed, strict=True)
            if elements.dtype == np.float32 and did == (example in LEFT.get(name, []))
        ]

    def results(self, program: Program) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        """Yields the rule, op and class of each example, and its results before and after."""
        both = [program.run(side, list(self.inputs.values())) for side in ("before", "after")]
        return zip(map(" ".join, self.tried), *both, strict=True)


def failures(
    elements: np.ndarray, classes: tuple[str, ...], wrong: Callable[[np.ndarray, np.ndarray], str]
) -> list[str]:
    with create_context(), ir.Location.unknown():
        case = Case(elements, classes)
        with compile_module(case.module) as program:
            found = [(name, wrong(before, after)) for name, before, after in case.results(program)]
    return case.wrong + [f"{name}: {text}" for name, text in found if text]


def different_bits(before: np.ndarray, after: np.ndarray) -> str:
    """Describes the first element with other bits; all NaNs are equal."""
    assert before.shape == after.shape and before.dtype == after.dtype
    same = before.view(f"u{before.itemsize}") == after.view(f"u{after.itemsize}")
    if before.dtype.kind == "f":
        same |= np.isnan(before) & np.isnan(after)
    return first_difference(~same, before, after)


def far_away(before: np.ndarray, after: np.ndarray) -> str:
    tolerance = TOLERANCE[before.itemsize] if before.dtype.kind == "f" else 0
    a, b = after.astype(np.float64), before.astype(np.float64)
    close = np.isclose(a, b, tolerance, tolerance, equal_nan=True) | (a == b)
    return first_difference(~close, before, after)


def first_difference(differs: np.ndarray, before: np.ndarray, after: np.ndarray) -> str:
    indices = np.argwhere(differs)
    return f"{after[tuple(indices[0])]} instead of {before[tuple(indices[0])]}" if len(indices) else ""


@pytest.mark.parametrize("elements", SPECIAL, ids=lambda elements: elements.dtype.name)
def test_exact_rules_keep_every_bit(elements: np.ndarray) -> None:
    assert failures(elements, ("exact",), different_bits) == []


@pytest.mark.parametrize("elements", USUAL, ids=lambda elements: elements.dtype.name)
def test_other_rules_keep_normal_values(elements: np.ndarray) -> None:
    assert failures(elements, ("rounding", "approximate"), far_away) == []


def classes_taken(op: str) -> list[str]:
    """The classes of elements that an op may be of."""
    name = op.removeprefix("graph.")
    operand = graph.specs()[name].operands[1 if name == "where" else 0]
    floats = {"bool", "signed", "unsigned"} if op in OF_FLOATS else set()
    return [
        name
        for name, element in CLASSES_OF_ELEMENTS.items()
        if operand.elements.admits(element) and name not in floats
    ]


def test_every_op_of_an_exact_rule_has_an_example() -> None:
    """It also has an example of each class of elements that the op takes."""
    with create_context(), ir.Location.unknown():
        tried = {title for elements in SPECIAL for title in Case(elements, ("exact",)).tried}
    wanted = {
        (name_of(rule), op, class_)
        for op, rules in RULES.items()
        for rule in rules
        if exactness_of(rule) == "exact" and name_of(rule) not in ELSEWHERE
        for class_ in classes_taken(op)
    }
    assert sorted(wanted - tried) == []


def test_the_comparison_sees_the_sign_of_zero_and_not_that_of_nan() -> None:
    zeros, nans = np.array([0.0, -0.0], np.float32), np.array([np.nan, -np.nan], np.float32)
    assert different_bits(zeros, zeros[::-1].copy())
    assert not different_bits(nans, nans[::-1].copy())


@pytest.mark.parametrize("name", PASSES)
def test_passes_declare_the_worst_class_of_their_rules(name: str) -> None:
    """Approximate rules are off by default."""
    classes = {exactness_of(rule) for value in rules_of(name).values() for rule in value} - {"approximate"}
    cls = registry.lookup(name)
    assert cls is not None
    if classes:
        assert cls.exactness == max(classes, key=CLASSES.index)
