"""The cut against every labelling: of random items, and of random graphs by the IR that comes out."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from mlc.bindings import ir
from mlc.dialects import create_context, graph
from mlc.passes.graph.layout.assign_layouts import LayoutProblem
from mlc.passes.graph.layout.layout_groups import Groups, find_groups
from mlc.passes.graph.layout.layout_rewriter import LayoutRewriter
from mlc.passes.graph.layout.minimum_cut import SINK, LayoutCut

IMAGE = "tensor<1x16x8x8xf32>"
WINDOW = (
    'layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>'
)
# Name, attributes, and the type of the weights, if any.
OPS = {
    "conv": (WINDOW + ", group = 1", "tensor<16x16x1x1xf32>"),
    "depthwise": (WINDOW + ", group = 16", "tensor<16x1x1x1xf32>"),
    "max_pool": (WINDOW + ", kernel = array<i64: 1, 1>, ceil_mode = false", None),
    "relu": ("", None),
    "add": ("", None),
    # So wide a window has no blocked form.
    "lrn": ("size = 31, alpha = 1.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64", None),
}
WEIGHTS = {"conv": "%w", "depthwise": "%v"}


@pytest.mark.parametrize("seed", range(20))
def test_items_against_every_labelling(seed: int) -> None:
    random = Random(seed)
    cut, prices = LayoutCut(), [(random.randrange(9), random.randrange(9)) for _ in range(7)]
    items = [cut.item(*price) for price in prices]
    terms = []
    for _ in range(8):
        item, *others = random.sample(items, random.randrange(2, 5))
        term = (random.choice((True, False)), item, others, random.randrange(9))
        terms.append(term)
        (cut.pay_when_true if term[0] else cut.pay_when_false)(*term[1:])

    def total(labels: dict[int, bool]) -> int:
        single = sum(price[labels[item]] for item, price in zip(items, prices, strict=True))
        paid = (
            cost
            for sign, item, others, cost in terms
            if labels[item] == sign and any(labels[other] != sign for other in others)
        )
        return single + sum(paid)

    solution = cut.solve()
    every = [dict(zip(items, labels, strict=True)) for labels in product((True, False), repeat=len(items))]
    best = min(map(total, every))
    chosen = {item: solution[item] for item in items}
    assert total(chosen) == best
    assert sum(chosen.values()) == max(sum(labels.values()) for labels in every if total(labels) == best)


def test_a_sink_is_an_item_that_is_always_false() -> None:
    cut = LayoutCut()
    cheap, dear = cut.item(5, 0), cut.item(5, 0)
    cut.pay_when_true(cheap, [SINK], 4)
    cut.pay_when_true(dear, [SINK], 6)
    labels = cut.solve()
    assert (labels[cheap], labels[dear]) == (True, False)


class RandomCosts:
    """Costs that depend on an op's location, so that they are the same in every parse of a text."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def conv(self, op: ir.Operation, block: int) -> float:
        return Random(f"{self.seed} {op.location} {block}").randrange(40)

    window = elementwise = conv

    def conversion(self, moved: int) -> float:
        return 10 + moved / 1024


def random_graph(random: Random, count: int) -> str:
    values, lines = ["%x", "%y"], []
    for index in range(count):
        name = random.choice(list(OPS))
        attributes, weights = OPS[name]
        operands = [random.choice(values[-3:])]
        operands += [WEIGHTS[name]] if weights else [random.choice(values)] if name == "add" else []
        types = ", ".join([IMAGE, weights] if weights else [IMAGE] * len(operands))
        op = "conv" if name == "depthwise" else name
        made = f'"graph.{op}"({", ".join(operands)}) {{{attributes}}} : ({types}) -> {IMAGE}'
        lines.append(f'%{index} = {made} loc("{index}")')
        values.append(f"%{index}")
    arguments = f"%x: {IMAGE}, %y: {IMAGE}, %w: {OPS['conv'][1]}, %v: {OPS['depthwise'][1]}"
    body = "\n".join(lines)
    return f"func.func @main({arguments}) -> {IMAGE} {{\n{body}\nreturn {values[-1]} : {IMAGE}\n}}"


def parse_and_label(text: str) -> tuple[ir.Module, ir.Block, Groups]:
    module = ir.Module.parse(text)
    block = module.body.operations[0].operation.regions[0].blocks[0]
    return module, block, find_groups(block)


def price(block: ir.Block, groups: Groups, chosen: set[ir.Value], costs: RandomCosts) -> float:
    """The costs of the ops under the labelling, and the conversions that are in the IR after rewriting."""
    total = 0.0
    for value in groups.parent:
        total += costs.conv(value.owner.operation, groups.block(value) if value in chosen else 1)
    LayoutRewriter(groups, chosen).run(block)
    for op in block:
        name, attributes = op.operation.name, op.operation.attributes
        if name in (graph.Pack.NAME, graph.Unpack.NAME) and list(attributes["inner_dims"]) == [1]:
            total += costs.conversion(2 * 4 * 1024)
    return total


@pytest.mark.parametrize("seed", range(8))
def test_graphs_against_every_labelling(seed: int) -> None:
    text, costs = random_graph(Random(seed), 6), RandomCosts(seed)
    with create_context(), ir.Location.unknown():
        _module, block, groups = parse_and_label(text)
        chosen = LayoutProblem(block, groups, costs).blocked_values()
        count, found = len(groups.parent), price(block, groups, chosen, costs)
        prices = []
        for labels in product((True, False), repeat=count):
            _module, block, groups = parse_and_label(text)
            some = {value for value, label in zip(groups.parent, labels, strict=True) if label}
            prices.append(price(block, groups, some, costs))
    assert found == pytest.approx(min(prices))
