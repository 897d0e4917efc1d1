"""The programs that are compared: all passes, one pass switched off, no fusion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mlc.pipelines.grammar import PassNode, parse_elements
from mlc.pipelines.lists.graph import GRAPH_OPTIMIZE, LOWER_GRAPH

DEFAULT, UNFUSED = "all", "no fusion"


@dataclass(frozen=True)
class AblationVariant:
    """A program with switched passes; `name` is the pass, `DEFAULT` or `UNFUSED`."""

    name: str
    disable: tuple[str, ...] = ()
    replace: dict[str, str] = field(default_factory=dict)

    @property
    def keywords(self) -> dict[str, Any]:
        """Keywords of the compiler's `Options`."""
        return {"disable_passes": self.disable, "replace_passes": self.replace}

    @property
    def engine(self) -> str:
        """The engine of `bench.engines`, with options."""
        disabled = [f"disable-pass={name}" for name in self.disable]
        replaced = [f"replace-pass={name}={pipeline}" for name, pipeline in self.replace.items()]
        return ":".join(["mlc", *disabled, *replaced])


def passes() -> list[str]:
    """Returns the passes of graph-optimize and lower-graph that change programs, in their order."""
    nodes = [node for text in (*GRAPH_OPTIMIZE, *LOWER_GRAPH) for node in parse_elements(text)]
    names = dict.fromkeys(node.name for node in nodes if isinstance(node, PassNode))
    return [name for name in names if "verify" not in name]


def variants(names: Sequence[str]) -> list[AblationVariant]:
    """Returns the program with all passes, without fusion, and without each of `names`."""
    unfused = AblationVariant(UNFUSED, replace={"graph-form-kernels": "graph-form-kernels{fuse=false}"})
    return [AblationVariant(DEFAULT), unfused, *(AblationVariant(name, disable=(name,)) for name in names)]
