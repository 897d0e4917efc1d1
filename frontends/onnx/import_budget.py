"""The import budget: limits of what the importer builds for a model, whatever sizes and counts that gives.

A few bytes of a model can ask for 2**40 outputs, or constants of terabytes. Counts are checked before
anything is looped over or allocated.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from mlc.frontends.errors import ModelError
from mlc.frontends.option_names import import_budget_option


class BudgetError(ModelError):
    """A model needs more than the import budget; the importer adds file and node."""


@dataclass(frozen=True)
class ImportBudget:
    """Limits of one import, far above what models need.

    Attributes:
        nodes: ONNX nodes after functions and bodies are expanded, and graph ops built.
        constant_bytes: Bytes of the constants that the importer computes; a model's own weights do not count.
        elements: Elements of one value of static shape.
        seconds: Wall-clock time.
    """

    nodes: int = 250_000
    constant_bytes: int = 2**31
    elements: int = 2**34
    seconds: float = 600.0

    @classmethod
    def with_limits(cls, limits: Mapping[str, float]) -> ImportBudget:
        """Returns the default budget with other limits by name. Raises ModelError for a wrong one."""
        names = [entry.name for entry in fields(cls)]
        for name, limit in limits.items():
            if name not in names:
                raise ModelError(f"the import budget has no limit '{name}', but {', '.join(names)}")
            whole = name == "seconds" or (isinstance(limit, int) and not isinstance(limit, bool))
            if not (isinstance(limit, int | float) and whole and math.isfinite(limit) and limit > 0):
                raise ModelError(f"the import budget's {name} must be positive, but is {limit!r}")
        return cls(**limits)  # type: ignore[arg-type]


@dataclass
class BudgetMeter:
    """Counts what one import uses. The methods raise BudgetError for what is over the budget."""

    budget: ImportBudget = field(default_factory=ImportBudget)
    nodes: int = 0
    constant_bytes: int = 0
    begin: float = field(default_factory=time.monotonic)

    def use_nodes(self, count: int = 1) -> None:
        """Counts nodes or ops that are about to be built, and looks at the clock."""
        self.check_nodes(self.nodes + count)
        self.nodes += count
        if time.monotonic() - self.begin > self.budget.seconds:
            raise BudgetError(f"the import takes more than {_limit('seconds', self.budget.seconds)}")

    def check_nodes(self, count: int) -> None:
        """Checks a number of nodes, ops or loop iterations before the loop."""
        if count > self.budget.nodes:
            raise _over("the model expands to", "nodes", count, self.budget.nodes)

    def use_constant(self, size: int) -> None:
        """Counts the bytes of a computed constant."""
        self.check_constant(size)
        self.constant_bytes += size

    def check_constant(self, size: int) -> None:
        """Checks the bytes of a constant before it is computed."""
        total = self.constant_bytes + size
        if total > self.budget.constant_bytes:
            raise _over(
                "the constants that it computes have", "constant_bytes", total, self.budget.constant_bytes
            )

    def check_elements(self, elements: int) -> None:
        """Checks the number of elements of a value."""
        if elements > self.budget.elements:
            raise _over("a value has", "elements", elements, self.budget.elements)


def _over(what: str, name: str, used: int, limit: int) -> BudgetError:
    return BudgetError(f"{what} {used} {name.removeprefix('constant_')}, more than {_limit(name, limit)}")


def _limit(name: str, limit: float) -> str:
    return f"the import budget of {limit} ({import_budget_option(name)} raises it)"
