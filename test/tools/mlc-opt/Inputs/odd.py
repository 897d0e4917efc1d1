"""A plugin that registers what MLC_TEST_ODD says, and passes that erase what they run on."""

from __future__ import annotations

import os
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.passes.base import Pass


@dataclass(frozen=True)
class EraseFunction(Pass):
    """Erases the function it runs on."""

    name = "test-erase-function"
    anchor = "func.func"

    def run(self, op: ir.Operation) -> None:
        op.erase()


@dataclass(frozen=True)
class EraseModule(Pass):
    """Erases the module it runs on."""

    name = "test-erase-module"

    def run(self, op: ir.Operation) -> None:
        op.erase()


class NoPass:
    """Nothing."""


_ODD = {"class": ("test-odd", NoPass), "upstream": ("cse", EraseModule), "object": ("test-odd", 3)}


def register(registry: object) -> None:
    odd = [_ODD[os.environ["MLC_TEST_ODD"]]] if "MLC_TEST_ODD" in os.environ else []
    for name, target in [*odd, (EraseFunction.name, EraseFunction), (EraseModule.name, EraseModule)]:
        registry.register(name, target)  # type: ignore[attr-defined]
