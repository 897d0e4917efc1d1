"""Decisions and remarks of graph-split-prepare about its budget."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mlc.bindings import ir
from mlc.bindings.context import create_context
from mlc.dialects import graph
from mlc.dialects.graph import GraphDialect
from mlc.passes.graph.prepare.prepare_budget import LEAST_BUDGET, default_budget
from mlc.passes.graph.prepare.split_prepare import ConstantOps, SplitPrepare
from mlc.passes.graph.winograd.winograd import allowance
from mlc.passes.remarks import Remark, collect_remarks


def weight(size: int) -> str:
    attributes = f'{{source = "m", offset = 0, size = {size}, hash = "a"}}'
    return f'"graph.weight"() {attributes} : () -> tensor<{size}xi8>'


TILE = [
    f"%w = {weight(8)}",
    '%t = "graph.tile"(%w) {repeats = array<i64: 4>} : (tensor<8xi8>) -> tensor<32xi8>',
    '"test.use"(%t) : (tensor<32xi8>) -> ()',
]


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with create_context(allow_unregistered_dialects=True):
        GraphDialect.load()
        yield


def parse(lines: list[str]) -> ir.Module:
    body = "\n".join(lines)
    return ir.Module.parse(f"func.func @main() {{\n{body}\nreturn\n}}")


def default_of(lines: list[str]) -> int:
    module = parse(lines)
    return default_budget(ConstantOps.of(module.body.operations[0].entry_block).bare.values())


def allowance_of(lines: list[str]) -> int:
    module = parse(lines)
    return allowance(module.body.operations[0].operation, budget=-1)


def remarks_of(budget: int) -> list[Remark]:
    module = parse(TILE)
    with collect_remarks() as remarks:
        SplitPrepare(budget=budget).run(module.operation)
    return remarks


def test_the_default_is_a_quarter_of_the_distinct_weights() -> None:
    size = 8 * LEAST_BUDGET
    assert default_of([f"%w{i} = {weight(size)}" for i in range(2)]) == 2 * LEAST_BUDGET


def test_the_default_is_at_least_16_mib() -> None:
    assert default_of([f"%w = {weight(8)}"]) == 16 * 2**20


def test_transformed_weights_have_a_separate_budget() -> None:
    assert allowance_of([f"%w = {weight(8)}"]) == 128 * 2**20
    assert allowance_of([f"%w = {weight(4 * 2**30)}"]) == 2**30


def test_an_op_beyond_the_budget_is_reported() -> None:
    (remark,) = remarks_of(budget=23)
    assert (remark.outcome, remark.rule, remark.op) == ("missed", "graph-split-prepare", graph.Tile.NAME)
    assert remark.message == "tensor<32xi8> grows by more than is left of the budget of 23 bytes"


def test_a_budget_of_just_the_growth_is_enough() -> None:
    assert not remarks_of(budget=24)
