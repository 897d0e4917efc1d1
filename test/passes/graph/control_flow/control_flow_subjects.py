"""Random graphs with branches and loops around some of their ops."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from pass_permutations import Subject, import_subject

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.regions import build_control, build_yield
from mlc.frontends.onnx import ImportedModel


class ControlFlowSubject(Subject):
    """A subject of which a few values are recomputed in branches and loops."""

    @cached_property
    def imported(self) -> ImportedModel:
        imported = import_subject(self.graph)
        main = imported.module.operation.regions[0].blocks[0].operations[0].operation
        ControlFlow(main, self.seed).insert(4)
        return imported


class ControlFlow:
    """Puts control flow into a function; the same for the same seed."""

    def __init__(self, function: ir.Operation, seed: int) -> None:
        self.block = function.regions[0].blocks[0]
        self.rng = np.random.default_rng(seed)

    def insert(self, count: int) -> None:
        """Wraps up to `count` ops; some of them may depend on weights only."""
        suiting = [op.operation for op in self.block if suits(op.operation)]
        for index in self.rng.permutation(len(suiting))[:count]:
            self.wrap(suiting[index])

    def wrap(self, op: ir.Operation) -> None:
        """Lets the users of the op's result read the result of control flow."""
        value = op.results[0]
        uses = [(use.owner.operation, use.operand_number) for use in value.uses]
        with op.context, ir.InsertionPoint.after(op), op.location:
            made = self.branch(op) if self.rng.integers(2) else self.loop(op)
        for user, position in uses:
            user.operands[position] = made

    def condition(self) -> ir.Value:
        """True, false, or an input."""
        choice = self.rng.integers(3)
        if choice < 2:
            return graph.build("constant", [], {"value": np.array(bool(choice))})
        x = self.block.arguments[0]
        axes = list(range(len(graph.shape_of(x))))
        largest = graph.build("reduce_mean", [x], {"axes": axes, "keepdims": False})
        return graph.build("greater", [largest, scalar(0.0)])

    def branch(self, op: ir.Operation) -> ir.Value:
        """The value, or minus it; sometimes the same in both branches."""
        made = build_control("if", [self.condition()], [op.results[0].type])
        same = not self.rng.integers(3)
        for region in made.regions:
            with ir.InsertionPoint(region.blocks[0]):
                value = op.clone().results[0]
                again = same or region == made.regions[0]
                build_yield([value if again else graph.build("neg", [value])])
        return made.results[0]

    def loop(self, op: ir.Operation) -> ir.Value:
        """The value plus half of it per iteration, and the mean of the scanned values."""
        value = op.results[0]
        trips = graph.build("constant", [], {"value": np.array(self.rng.integers(1, 4))})
        true = graph.build("constant", [], {"value": np.array(True)})
        stacked = ir.RankedTensorType.get(
            [ir.ShapedType.get_dynamic_size(), *value.type.shape], value.type.element_type
        )
        made = build_control("loop", [trips, true, value], [value.type, stacked])
        body = made.regions[0].blocks[0]
        for type_ in (trips.type, true.type, value.type):
            body.add_argument(type_, op.location)
        with ir.InsertionPoint(body):
            more = graph.build("mul", [op.clone().results[0], scalar(0.5)])
            total = graph.build("add", [body.arguments[2], more])
            build_yield([body.arguments[1], total, more])
        mean = graph.build("reduce_mean", [made.results[1]], {"axes": [0], "keepdims": False}, value.type)
        return graph.build("add", [made.results[0], mean])


def scalar(value: float) -> ir.Value:
    return graph.build("constant", [], {"value": np.array(value, np.float32)})


def suits(op: ir.Operation) -> bool:
    """Whether the op computes one tensor of floats from others."""
    return (
        op.name.startswith("graph.")
        and len(op.operands) > 0
        and len(op.results) == 1
        and str(graph.element_type(op.results[0])) == "f32"
    )
