"""The innermost loops of a function in assembly, and what is in them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LABEL = re.compile(r"(\.L\w+):")
_BRANCH = re.compile(r"\s+(?:j\w+|b\w*(?:\.\w+)?|cbn?z|tbn?z)\s.*?(\.L\w+)$")


@dataclass(frozen=True)
class Instructions:
    """Patterns of one architecture: multiply-adds of vectors and of scalars, spills, calls."""

    vector: str
    scalar: str
    spill: str
    call: str


_X86_SPILL = r"\smov\w+\s+%\w+, -?\d*\(%rsp\)"
_ARM_SPILL = r"\sst[rp]\s.*\[sp|\sstr\s+z"
_RISCV_SPILL = r"\s(?:sd|sw|fsw|fsd)\s.*\(sp\)|\svs\dr\.v"
INSTRUCTIONS = {
    "sse": Instructions(r"\smulps", r"\smulss", _X86_SPILL, r"\scallq?\s+(\S+)"),
    "avx": Instructions(r"\svfn?m(?:add|sub)\d+ps", r"\svfm\w+ss", _X86_SPILL, r"\scallq?\s+(\S+)"),
    "neon": Instructions(r"\sfml[as]\s+v\d+\.4s", r"\sfmadd\s+s", _ARM_SPILL, r"\sbl\s+(\S+)"),
    "sve": Instructions(
        r"\sf(?:mla|mls|mad|msb)\s+z\d+\.s", r"\sfmadd\s+s|\.4s", _ARM_SPILL, r"\sbl\s+(\S+)"
    ),
    "rvv": Instructions(r"\svfn?m(?:acc|add|sac)\.v", r"\sfmadd\.s", _RISCV_SPILL, r"\scall\s+(\S+)"),
}


def innermost_loops(assembly: str) -> list[list[str]]:
    """The lines of every loop that holds no other one. Loops are jumps back to a label."""
    lines = assembly.splitlines()
    labels = {found[1]: index for index, line in enumerate(lines) if (found := _LABEL.match(line))}
    jumps = [(index, found[1]) for index, line in enumerate(lines) if (found := _BRANCH.match(line))]
    loops = {(labels[name], index) for index, name in jumps if labels.get(name, index) < index}
    inner = [
        (first, last)
        for first, last in sorted(loops)
        if not any(first <= a and b <= last for a, b in loops - {(first, last)})
    ]
    return [lines[first : last + 1] for first, last in inner]


def count(pattern: str, lines: list[str]) -> int:
    return sum(re.search(pattern, line) is not None for line in lines)
