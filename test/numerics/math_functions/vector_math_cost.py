"""Counts the instructions that a kernel takes for one vector of f32: the loop of its assembly, loads, stores
and the loop's own included.

`python test/numerics/math_functions/vector_math_cost.py [target]` prints them for all functions; the default
target is x86-64-v4.
"""

from __future__ import annotations

import re
import sys

from vector_functions import FUNCTIONS
from vector_math import kernel

from mlc.codegen.emit import emit
from mlc.compiler.kernel_job import lower
from mlc.targets import parse_target

LABEL = re.compile(r"(\.LBB\w+):")
JUMP = re.compile(r"j\w+\s+(\.LBB\w+)")
STORE = re.compile(r"v?mov(?:[au]p[sd]|dq[au]\d*)\s+%[xyz]mm\d+, [^%]*\((?!%rsp)")
# Of a division or a square root, which take many times as long as other instructions.
SLOW = re.compile(r"v?(?:div|sqrt)")
CALL = re.compile(r"(?:call|jmp)q?\s+([A-Za-z_]\w+)")


def assembly(op: str, attributes: str, target: str, operands: int = 1) -> str:
    """Returns the assembly of a kernel that applies `op` to long vectors."""
    description = parse_target(target)
    text = lower(kernel(op, attributes, str(description), operands), "cpu-kernel")
    return emit(text, description, "asm").decode()


def calls_of(text: str) -> set[str]:
    """The functions that `text` calls, besides the runtime's own."""
    return {name for name in CALL.findall(text) if not name.startswith("mlc_")}


def vector_loop(text: str) -> list[str]:
    """The instructions of the shortest loop of `text` that stores a vector."""
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    lines = [line for line in lines if LABEL.match(line) or (line and line[0] not in ".#")]
    label_lines = {match[1]: index for index, line in enumerate(lines) if (match := LABEL.match(line))}
    loops = []
    for index, line in enumerate(lines):
        jump = JUMP.match(line)
        if jump and label_lines.get(jump[1], index) < index:
            body = [line for line in lines[label_lines[jump[1]] : index + 1] if not LABEL.match(line)]
            if any(STORE.match(line) for line in body):
                loops.append(body)
    return min(loops, key=len)


def cost(op: str, attributes: str, target: str, operands: int = 1) -> tuple[float, float]:
    """(instructions, divisions and square roots) for one vector."""
    body = vector_loop(assembly(op, attributes, target, operands))
    vectors = sum(bool(STORE.match(line)) for line in body)
    return len(body) / vectors, sum(bool(SLOW.match(line)) for line in body) / vectors


def main() -> None:
    target = sys.argv[1] if len(sys.argv) > 1 else "x86-64-v4"
    for name, function in FUNCTIONS.items():
        instructions, slow = cost(function.op, function.attributes, target)
        print(f"{name:10} {instructions:6.1f} instructions, of them {slow:g} divisions and roots", flush=True)
    instructions, slow = cost("graph.pow", "", target, operands=2)
    print(f"{'pow':10} {instructions:6.1f} instructions, of them {slow:g} divisions and roots")


if __name__ == "__main__":
    main()
