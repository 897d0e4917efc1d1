"""Generates `upstream_passes.tsv` by probing the wheel: `python -m mlc.bindings.probe_passes`.

Every kebab-case string of the wheel's library that parses as a pass is one. Running it on minimal ops,
in a separate process because some passes abort, shows its class name and the ops on which it can be
scheduled.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from mlc.bindings import PassManager, create_context, ir
from mlc.bindings.diagnostics import capture_diagnostics
from mlc.bindings.upstream_table import TABLE

_MODULE = """
func.func @f() { return }
llvm.func @l() { llvm.return }
gpu.module @g { gpu.func @k() kernel { gpu.return } }
spirv.module Logical GLSL450 { spirv.func @s() "None" { spirv.Return } }
"""
# In order of preference for implicit nesting.
_ANCHORS = (
    "builtin.module",
    "func.func",
    "gpu.module",
    "gpu.func",
    "llvm.func",
    "spirv.module",
    "spirv.func",
)
# A string, or the tail of one: the linker lets strings share their tails.
_STRING = re.compile(rb"([a-z0-9-]{3,64})\0")
_DUMP = re.compile(r"IR Dump Before (\w+)")


def pass_names() -> list[str]:
    """Returns the names of all passes and pipelines registered in the wheel."""
    import torch_mlir

    libraries = Path(next(iter(torch_mlir.__path__))) / "_mlir_libs"
    strings = {
        text for library in libraries.glob("libTorchMLIR*") for text in _STRING.findall(library.read_bytes())
    }
    found = {
        text[start:].decode() for text in strings for start in range(len(text) - 2) if text[start] != ord("-")
    }
    context = create_context()
    return sorted(name for name in found if _is_pass(name, context))


def _is_pass(name: str, context: ir.Context) -> bool:
    try:
        PassManager.parse(f"any({name})", context=context)
    except (ValueError, ir.MLIRError):
        return False
    return True


def options_of(name: str, context: ir.Context) -> str:
    """Returns options and defaults as the pass manager prints them; empty for pipelines, which print as their
    passes.
    """
    printed = str(PassManager.parse(f"any({name})", context=context))
    match = re.fullmatch(rf"any\({re.escape(name)}\{{(.*)\}}\)", printed)
    return " ".join(match[1].split()) if match else ""


def print_anchors(name: str) -> None:
    """Prints `@@<op>` for the probed ops on which the pass can run, and dumps with its class name."""
    for anchor in _ANCHORS:
        child = os.fork()  # a pass on the wrong op aborts the process
        if child == 0:
            os._exit(0 if _can_schedule(name, anchor) else 1)
        if os.waitpid(child, 0)[1] == 0:
            print(f"@@{anchor}")


def _can_schedule(name: str, anchor: str) -> bool:
    context = create_context()
    module = ir.Module.parse(
        _MODULE, context=context
    )  # named: a handle to an op does not keep its module alive
    op = _first(module.operation, anchor)
    manager = PassManager.parse(f"{anchor}({name})", context=context)
    manager.enable_ir_printing(print_before_all=True, print_after_all=False)
    with capture_diagnostics(context) as captured, suppress(ir.MLIRError):
        manager.run(op)  # a pass may refuse the empty function
    return not any("schedule pass" in diagnostic.message for diagnostic in captured)


def _first(root: ir.Operation, name: str) -> ir.Operation:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == name:
            found.append(op)
        return ir.WalkResult.ADVANCE

    root.walk(visit)
    return found[0]


def row(name: str, context: ir.Context) -> str:
    """Returns one line of the table."""
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name, name], capture_output=True, text=True, timeout=60, check=False
    )
    anchors = [line[2:] for line in done.stdout.splitlines() if line.startswith("@@")]
    titles = _DUMP.findall(done.stderr)
    return "\t".join([name, titles[0] if titles else name, " ".join(anchors), options_of(name, context)])


def main() -> None:
    """Writes the table of all passes; given the name of a pass, prints the ops that it can run on instead."""
    if len(sys.argv) > 1:
        print_anchors(sys.argv[1])
        return
    context = create_context()
    rows = [row(name, context) for name in pass_names()]
    TABLE.write_text("".join(f"{line}\n" for line in rows), encoding="utf-8")
    print(f"{TABLE}: {len(rows)} passes")


if __name__ == "__main__":
    main()
