"""A plugin that ends the process in several ways: MLC_TEST_LEAVES says where and how."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.passes.base import Pass

_WHERE, _, _HOW = os.environ.get("MLC_TEST_LEAVES", "nowhere").partition(":")


def leave(where: str) -> None:
    if where == _WHERE:
        {"exit": lambda: sys.exit(3), "_exit": lambda: os._exit(0), "abort": os.abort}[_HOW]()


leave("top")


@dataclass(frozen=True)
class Leave(Pass):
    """Ends the process."""

    name = "test-leave"
    anchor = "func.func"

    def run(self, op: ir.Operation) -> None:
        leave("pass")


def register(registry: object) -> None:
    leave("register")
    registry.register(Leave.name, Leave)  # type: ignore[attr-defined]
