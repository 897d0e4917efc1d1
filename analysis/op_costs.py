"""The cost and the description of one op, or one launch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mlc.analysis.constant_values import ConstantValues
from mlc.analysis.costs import Cost
from mlc.analysis.flop_counts import MACS
from mlc.analysis.value_sizes import UnknownSizeError, known_dims
from mlc.bindings import ir
from mlc.dialects.graph.elements import dtype_of
from mlc.dialects.graph.types import element_name
from mlc.passes.remarks import names_in


@dataclass(frozen=True)
class OpCosts:
    """One op, or one launch of a kernel.

    `name` is the op's name, or those of the kernel's ops, joined by '+'; `kernel` the kernel's name or "";
    `nodes` the ONNX nodes it came from; `dtype` and `shape` those of the first result (None for dynamic
    dims); `parameters` the elements of the weights that it reads, shared ones at each reader. `unknown` is
    the reason if its cost is not known, which is then 0."""

    name: str
    kernel: str
    nodes: tuple[str, ...]
    dtype: str
    shape: tuple[int | None, ...]
    parameters: int
    cost: Cost
    unknown: str = ""

    @property
    def is_product(self) -> bool:
        """Whether it computes products or convolutions."""
        names = self.name.split("+") if self.unknown else []
        return self.cost.macs > 0 or any(f"graph.{name}" in MACS for name in names)


def record(
    op: ir.Operation, name: str, kernel: str, constants: ConstantValues, cost: Cost, unknown: str
) -> OpCosts:
    """Returns the costs of an op as a record."""
    result = op.results[0]
    return OpCosts(
        name,
        kernel,
        names_in(str(op.location)),
        dtype_of(element_name(result.type.element_type)).name,
        known_dims(result),
        constants.parameters(op),
        cost,
        unknown,
    )


def count_cost(count: Callable[[], Cost], known_only: bool) -> tuple[Cost, str]:
    """Returns the cost and "", or, with `known_only`, no cost and the reason why it is not known."""
    try:
        return count(), ""
    except UnknownSizeError as error:
        if not known_only:
            raise
        return Cost(), error.message
