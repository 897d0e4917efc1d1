"""Generates `targets/x86_features.tsv`, what LLVM knows of x86-64 processors:
`python -P -m mlc.codegen.llvm_features`.

LLVM names its processors and features, but has no call that returns the features of one. Its inliner compares
them: a call is inlined only into a function whose processor has all features of the callee.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence

import llvmlite.binding as llvm

from mlc.codegen.emit import initialize_llvm
from mlc.targets.base import LINUX_X86_64
from mlc.targets.features import FEATURES, TABLE, UNCHECKED

_BASE = "x86-64"
# Prints those of the processors that have 64-bit mode. LLVM ends the process for others: each has its own.
_FILTER = f"""
import os, sys, llvmlite.binding as llvm
llvm.initialize_all_targets(); llvm.initialize_all_asmprinters()
for cpu in sys.argv[1:]:
    if (child := os.fork()) == 0:
        machine = llvm.Target.from_triple({LINUX_X86_64!r}).create_target_machine(cpu=cpu)
        machine.emit_object(llvm.parse_assembly("define void @f() {{ ret void }}"))
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        print(cpu)
"""
# Not features of processors: modes, and what would change the calling convention.
_MODES = frozenset(("16bit-mode", "32bit-mode", "64bit-mode", "soft-float", "x32"))


def table() -> str:
    """Returns the rows "processor NAME FEATURES", "feature NAME IMPLIED" and "names GROUP NAMES"."""
    cpus, names = names_in_llvm()
    checked = [feature.name for feature in FEATURES]
    wide = _with_64_bits(cpus)
    other = [name for name in names if name not in {*checked, *UNCHECKED}]
    rows = [("processor", cpu, found) for cpu, found in zip(wide, features(wide, checked), strict=True)]
    implied = features([_BASE] * len(names), checked, names)
    rows += [
        ("feature", name, found - {name})
        for name, found in zip(names, implied, strict=True)
        if found - {name}
    ]
    rows += [("names", "narrow", {*cpus} - {*wide}), ("names", "other", {*other})]
    return "".join(f"{row}\t{name}\t{' '.join(sorted(found))}\n" for row, name, found in rows)


def features(cpus: Sequence[str], names: Sequence[str], added: Sequence[str] = ()) -> list[set[str]]:
    """Returns which of the features `names` each of `cpus` has, with the feature `added` at its position."""
    initialize_llvm()
    machine = llvm.Target.from_triple(LINUX_X86_64).create_target_machine(cpu=_BASE)
    text = _module(cpus, names, added)
    with llvm.create_context() as context, llvm.parse_assembly(text, context) as module:
        with (
            llvm.create_pipeline_tuning_options(speed_level=1) as tuning,
            llvm.create_pass_builder(machine, tuning) as builder,
            builder.getModulePassManager() as manager,
        ):
            manager.run(module, builder)
        bodies = [str(module.get_function(f"cpu{index}")) for index in range(len(cpus))]
    kept = [{int(index) for index in re.findall(r"call void @feature(\d+)\(", body)} for body in bodies]
    return [{name for index, name in enumerate(names) if index not in calls} for calls in kept]


def _module(cpus: Sequence[str], names: Sequence[str], added: Sequence[str]) -> str:
    """Returns a function for each of `cpus`, which calls a function for each feature. Those store something,
    so that calls that are not inlined stay."""
    lines = [f'target triple = "{LINUX_X86_64}"']
    for index, name in enumerate(names):
        store = f"store volatile i32 {index}, ptr inttoptr (i64 4096 to ptr)"
        lines.append(f"define void @feature{index}() {_attributes(_BASE, name)} {{\n{store}\nret void\n}}")
    calls = "\n".join(f"call void @feature{index}()" for index in range(len(names)))
    for index, cpu in enumerate(cpus):
        attributes = _attributes(cpu, added[index] if added else "")
        lines.append(f"define void @cpu{index}() {attributes} {{\n{calls}\nret void\n}}")
    return "\n".join(lines)


def _attributes(cpu: str, feature: str) -> str:
    return f'"target-cpu"="{cpu}"' + (f' "target-features"="+{feature}"' if feature else "")


def names_in_llvm() -> tuple[list[str], list[str]]:
    """Returns LLVM's names of x86 processors and features, in a process whose standard error has them."""
    script = (
        "import llvmlite.binding as l; l.initialize_all_targets();"
        f"l.Target.from_triple({LINUX_X86_64!r}).create_target_machine(cpu='help')"
    )
    command = [sys.executable, "-c", script]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    cpus, _, rest = listing.partition("Available features")
    return _names(r"^\s+(\S+)\s+- Select the \S+ processor", cpus), _names(r"^\s+(\S+)\s+- ", rest)


def _names(pattern: str, text: str) -> list[str]:
    return sorted({*re.findall(pattern, text, re.MULTILINE)} - _MODES)


def _with_64_bits(cpus: Sequence[str]) -> list[str]:
    command = [sys.executable, "-c", _FILTER, *cpus]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
