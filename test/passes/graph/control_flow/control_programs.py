"""Random programs with control flow on scalars of i64, and an evaluator of them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from mlc.bindings import func, ir, tensor
from mlc.dialects import graph

INTEGER, BOOLEAN, STACK = "tensor<i64>", "tensor<i1>", "tensor<?xi64>"
ARITHMETIC = ("add", "mul", "sub", "neg", "div", "max")


class Program:
    """Writes one function `@main(a, b, n: i64, c: i1)` that returns four integers."""

    arithmetic: tuple[str, ...] = ARITHMETIC

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.integer, self.boolean, self.stack = map(ir.Type.parse, (INTEGER, BOOLEAN, STACK))

    def write(self) -> ir.Module:
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            main = func.FuncOp("main", ([self.integer] * 3 + [self.boolean], [self.integer] * 4))
            block = main.add_entry_block()
        with ir.InsertionPoint(block):
            *integers, boolean = block.arguments
            values, _ = self.ops(integers, [boolean], depth=3)
            func.ReturnOp([self.pick(values) for _ in range(4)])
        return module

    def constant(self, value: Any) -> ir.Value:
        return graph.build("constant", [], {"value": np.asarray(value)})

    def pick(self, values: Sequence[ir.Value]) -> ir.Value:
        return values[-1 - min(int(self.random.expovariate(0.5)), len(values) - 1)]

    def ops(
        self, integers: Sequence[ir.Value], booleans: Sequence[ir.Value], depth: int
    ) -> tuple[list[ir.Value], list[ir.Value]]:
        """Builds some ops on visible values; returns all values that are visible after them."""
        integers, booleans = list(integers), list(booleans)
        for _ in range(self.random.randint(2, 5)):
            choice = self.random.choice(("arithmetic", "arithmetic", "constant", "condition", "if", "loop"))
            if choice == "constant":
                integers.append(self.constant(np.int64(self.random.randint(-3, 3))))
            elif choice == "condition":
                booleans.append(self.condition(integers))
            elif choice == "arithmetic" or depth == 0:
                name = self.random.choice(self.arithmetic)
                operands = [self.pick(integers) for _ in range(1 if name == "neg" else 2)]
                integers.append(graph.build(name, operands))
            else:
                write = self.branches if choice == "if" else self.loop
                integers += write(integers, booleans, depth - 1)
        return integers, booleans

    def condition(self, integers: Sequence[ir.Value]) -> ir.Value:
        if self.random.random() < 0.5:
            return self.constant(np.asarray(self.random.random() < 0.6))
        return graph.build("less", [self.pick(integers), self.pick(integers)])

    def branches(self, integers: list[ir.Value], booleans: list[ir.Value], depth: int) -> list[ir.Value]:
        count = self.random.randint(0, 3)
        op = graph.build_control("if", [self.pick(booleans)], [self.integer] * count)
        same = self.random.random() < 0.3
        state = self.random.getstate()
        for region in op.regions:
            if same:
                self.random.setstate(state)
            with ir.InsertionPoint(region.blocks[0]):
                inner, _ = self.ops(integers, booleans, depth)
                graph.build_yield([self.pick(inner) for _ in range(count)])
        return list(op.results)

    def loop(self, integers: list[ir.Value], booleans: list[ir.Value], depth: int) -> list[ir.Value]:
        known = self.random.random() < 0.7
        trips = self.constant(np.int64(self.random.randint(-1, 3))) if known else integers[2]
        initial = [self.pick(integers) for _ in range(self.random.randint(0, 3))]
        count, stacks = len(initial), self.random.randint(0, 2)
        types = [self.integer] * count + [self.stack] * stacks
        op = graph.build_control("loop", [trips, self.pick(booleans), *initial], types)
        block = op.regions[0].blocks[0]
        for type_ in (self.integer, self.boolean, *[self.integer] * count):
            block.add_argument(type_, ir.Location.unknown())
        with ir.InsertionPoint(block):
            self.body(block, integers, booleans, depth, stacks)
        carried, scanned = list(op.results)[:count], list(op.results)[count:]
        total = {"axes": [0], "keepdims": False}
        return [*carried, *(graph.build("reduce_sum", [stack], total) for stack in scanned)]

    def body(
        self, block: ir.Block, integers: list[ir.Value], booleans: list[ir.Value], depth: int, stacks: int
    ) -> None:
        """Fills a loop's body; some carried values do not change, or always become a value from outside."""
        iteration, condition, *carried = block.arguments
        inner, conditions = self.ops([*integers, iteration, *carried], [*booleans, condition], depth)
        again = self.random.choice((condition, self.pick(conditions)))
        after = [self.random.choice((old, self.pick(inner), self.pick(integers))) for old in carried]
        graph.build_yield([again, *after, *(self.pick(inner) for _ in range(stacks))])


class StaticProgram(Program):
    """Programs that never trap, and whose stacks have a row per iteration."""

    arithmetic = tuple(name for name in ARITHMETIC if name != "div")

    def loop(self, integers: list[ir.Value], booleans: list[ir.Value], depth: int) -> list[ir.Value]:
        runs, steady = self.random.randint(1, 3), self.random.random() < 0.6
        count = self.constant(np.int64(runs))
        trips = count if steady else self.random.choice((integers[2], count))
        going = self.constant(np.asarray(True)) if steady else self.pick(booleans)
        initial = [self.pick(integers) for _ in range(self.random.randint(0, 3))]
        carried_types = [self.integer] * len(initial)
        stacks = self.random.randint(0, 2) if steady else 0
        stack = ir.RankedTensorType.get([runs], self.integer.element_type)
        op = graph.build_control("loop", [trips, going, *initial], carried_types + [stack] * stacks)
        block = op.regions[0].blocks[0]
        for type_ in (self.integer, self.boolean, *carried_types):
            block.add_argument(type_, ir.Location.unknown())
        with ir.InsertionPoint(block):
            self.body(block, integers, booleans, depth, stacks)
        if steady:
            graph.yield_of(block).operands[0] = block.arguments[1]
        total = {"axes": [0], "keepdims": False}
        carried, scanned = list(op.results)[: len(initial)], list(op.results)[len(initial) :]
        return [*carried, *(graph.build("reduce_sum", [stack], total) for stack in scanned)]


def _div(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if b in (0, -1):
        raise ZeroDivisionError
    return a // b


_FUNCTIONS: dict[str, Any] = {
    "add": np.add,
    "mul": np.multiply,
    "sub": np.subtract,
    "neg": np.negative,
    "max": np.maximum,
    "div": _div,
    "less": np.less,
}


def evaluate(block: ir.Block, env: dict[ir.Value, Any]) -> list[Any]:
    """Returns the operands of a block's terminator; raises ZeroDivisionError where the machine would trap."""
    for view in block.operations:
        op = view.operation
        operands = [env[value] for value in op.operands]
        if op.name in (graph.Yield.NAME, func.Return.NAME):
            return operands
        env.update(zip(op.results, _results(op, operands, env), strict=True))
    raise AssertionError("a block without a terminator")


def _results(op: ir.Operation, operands: list[Any], env: dict[ir.Value, Any]) -> list[Any]:
    match name := op.name.removeprefix("graph."):
        case "constant":
            return [graph.attribute(op, "value")]
        case "full":
            return [np.full(graph.shape_of(op.results[0]), graph.attribute(op, "value"))]
        case "unsqueeze":
            return [np.asarray(operands[0])[None]]
        case "reduce_sum":
            return [np.sum(operands[0])]
        case tensor.Cast.NAME:
            return operands
        case "if":
            return evaluate(op.regions[0 if operands[0] else 1].blocks[0], env)
        case "loop":
            return _loop(op, operands, env)
    with np.errstate(over="ignore"):
        return [_FUNCTIONS[name](*operands)]


def _loop(op: ir.Operation, operands: list[Any], env: dict[ir.Value, Any]) -> list[Any]:
    trips, condition, *carried = operands
    block, stacks, iteration = op.regions[0].blocks[0], [], 0
    while iteration < trips and condition:
        env.update(zip(block.arguments, (np.int64(iteration), condition, *carried), strict=True))
        condition, *values = evaluate(block, env)
        carried, scanned = values[: len(carried)], values[len(carried) :]
        stacks.append(scanned)
        iteration += 1
    count = len(op.results) - len(carried)
    return [*carried, *(np.array([row[index] for row in stacks], np.int64) for index in range(count))]
