"""Importing a part of a graph once more, of other values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from onnx import NodeProto

from mlc.frontends.onnx.node import NodeFailure

# Imports a node, binding its outputs in a scope.
ImportNode = Callable[[NodeProto, dict[str, Any]], None]


@dataclass
class Part:
    """What some values of a graph are computed by: `producers` are its nodes by output, `scope` what is
    imported of it, `bound` the values that replace those of their names."""

    producers: Mapping[str, NodeProto]
    scope: Mapping[str, Any]
    bound: Mapping[str, Any]
    import_node: ImportNode
    found: dict[str, Any] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        """The value of a name, as the bound ones make it."""
        if name in self.bound:
            return self.bound[name]
        if name not in self.found:
            self.found[name] = self._made(name)
        return self.found[name]

    def _made(self, name: str) -> Any:
        if name in self.scope and not self._depends(name):
            return self.scope[name]
        node = self.producers.get(name)
        if node is None:
            raise NodeFailure(f"'{name}' is no value of the graph")
        own = {each: self.value(each) for each in node.input if each}
        # What bodies see of the graph around them.
        own = {**self.scope, **self.bound, **own}
        self.import_node(node, own)
        return own[name]

    def _depends(self, name: str) -> bool:
        """Whether a value is computed from one that is bound."""
        waiting, seen = [name], set[str]()
        while waiting:
            each = waiting.pop()
            if each in self.bound:
                return True
            if each not in seen and each in self.producers:
                seen.add(each)
                waiting += self.producers[each].input
        return False
