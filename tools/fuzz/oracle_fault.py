"""A fault of oracles: of which operators, and when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import NodeProto, helper

from mlc.tools.fuzz.case import Case
from mlc.tools.fuzz.oracles import all_values
from mlc.tools.fuzz.random_draws import is_float


@dataclass
class Call:
    """A node with the arrays that it is given."""

    node: NodeProto
    case: Case

    def array(self, index: int) -> np.ndarray | None:
        """An input; None if it is left out, or if no oracle computes what it is."""
        name = self.node.input[index] if index < len(self.node.input) else ""
        if not name or name in self.case.inputs:
            return self.case.inputs.get(name)
        try:
            return all_values(self.case.model, self.case.inputs).get(name)
        except Exception:  # oracles say in many ways that a model is wrong
            return None

    def floats(self) -> list[np.ndarray]:
        """The inputs of floats, as f64."""
        arrays = [self.array(index) for index in range(len(self.node.input))]
        return [each.astype(np.float64) for each in arrays if each is not None and is_float(each.dtype)]

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute's value, or the default if it is left out."""
        found = [each for each in self.node.attribute if each.name == name]
        return helper.get_attribute_value(found[0]) if found else default


Applies = Callable[[Call], bool]


@dataclass(frozen=True)
class Fault:
    """`oracles` do not say what is right of `operators` where `applies` says so, for `cause`."""

    operators: str
    oracles: tuple[str, ...]
    cause: str
    applies: Applies
