"""A plugin with tiny passes, for the tests of the pass runner."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass

from mlc.bindings import Diagnostic, emit_diagnostic, ir
from mlc.passes.base import Pass, PassError, option
from mlc.pipelines.named import register_pipeline


@dataclass(frozen=True)
class Tag(Pass):
    """Puts an attribute on each function."""

    name = "test-tag"
    anchor = "func.func"

    value: int = option(1, help="the attribute's value")
    mode: str = option("plain", help="how to write it", choices=("plain", "named"))
    names: tuple[str, ...] = option(("tag",), help="the attributes' names")

    def run(self, op: ir.Operation) -> None:
        for name in self.names:
            op.attributes[name] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), self.value)


@dataclass(frozen=True)
class Fail(Pass):
    """Refuses functions that have arguments."""

    name = "test-fail"
    anchor = "func.func"

    def run(self, op: ir.Operation) -> None:
        if op.regions[0].blocks[0].arguments:
            raise PassError("function has arguments", op.location, notes=["use a function without arguments"])


@dataclass(frozen=True)
class Crash(Pass):
    """Has a bug."""

    name = "test-crash"

    def run(self, op: ir.Operation) -> None:
        raise KeyError("missing")


@dataclass(frozen=True)
class Invalidate(Pass):
    """Leaves invalid IR: a function without its return."""

    name = "test-invalidate"
    anchor = "func.func"

    def run(self, op: ir.Operation) -> None:
        op.regions[0].blocks[0].operations[-1].erase()


@dataclass(frozen=True)
class Segfault(Pass):
    """Crashes as C++ does."""

    name = "test-segfault"
    anchor = "func.func"

    def run(self, op: ir.Operation) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)


@dataclass(frozen=True)
class Hang(Pass):
    """Never ends, and takes no notice of Ctrl-C."""

    name = "test-hang"

    def run(self, op: ir.Operation) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        time.sleep(600)


@dataclass(frozen=True)
class Leave(Pass):
    """Ends the process, as LLVM does on fatal errors."""

    name = "test-leave"

    def run(self, op: ir.Operation) -> None:
        os._exit(0)


@dataclass(frozen=True)
class Remark(Pass):
    """Says something about each function."""

    name = "test-remark"
    anchor = "func.func"

    def run(self, op: ir.Operation) -> None:
        emit_diagnostic(Diagnostic("remark", "here is a function", op.location))
        note = Diagnostic("note", "fill it", op.location)
        emit_diagnostic(Diagnostic("warning", "it is empty", op.location, (note,)))


def register(registry: object) -> None:
    for cls in (Tag, Fail, Crash, Invalidate, Segfault, Hang, Leave, Remark):
        registry.register(cls.name, cls)  # type: ignore[attr-defined]
    register_pipeline("test-named", ["func.func(test-tag{value=5},cse)", "symbol-dce"])
