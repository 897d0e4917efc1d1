"""Seeds of mutations: the chunks of the lit tests with flags of their RUN lines, and small modules.

The modules of `modules.txt` cover upstream dialects that the lit tests leave out.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
INPUT = "input"  # stands for the input's path in arguments, relative to where a case runs
_MARKER = "// -----\n"
_RUN = re.compile(r"^\s*//\s*RUN:(.*)$", re.MULTILINE)
_LARGEST = 20_000  # bytes: larger chunks only take time


@dataclass(frozen=True)
class Seed:
    """Valid or at least deliberate input: a tool, its arguments, and the text that they read."""

    name: str
    tool: str
    arguments: tuple[str, ...]
    text: str


@cache
def seeds() -> tuple[Seed, ...]:
    """All seeds, in an order that depends on nothing but the files."""
    found = [seed for path in sorted(HERE.parent.rglob("*.mlir")) for seed in _of_lit_test(path)]
    return (*found, *built_in())


def built_in() -> list[Seed]:
    """The modules of `modules.txt`."""
    chunks = (HERE / "modules.txt").read_text().split(_MARKER)
    found = []
    for index, chunk in enumerate(chunks):
        name = f"modules.txt:{index}"
        found.append(Seed(name, "mlc-opt", (INPUT, "--canonicalize", "--cse"), chunk))
        found += [Seed(name, "mlc-translate", (flag, INPUT), chunk) for flag in _translations(chunk)]
    return found


def _translations(text: str) -> list[str]:
    return ["--mlir-to-llvmir", "--mlir-to-obj", "--mlir-to-ptx"] if "llvm.func" in text else []


def _of_lit_test(path: Path) -> Iterator[Seed]:
    if "Inputs" in path.parts or "upstream" in path.parts:
        return
    text = path.read_text()
    commands = [command for line in _run_lines(text) if (command := _command(line, path))]
    if not commands:
        return
    for index, chunk in enumerate(text.split(_MARKER)):
        tool, *arguments = commands[index % len(commands)]
        if chunk.strip() and len(chunk) <= _LARGEST:
            yield Seed(f"{path.relative_to(HERE.parent)}:{index}", tool, tuple(arguments), chunk)


def _run_lines(text: str) -> Iterator[str]:
    joined = "\n".join(_RUN.findall(text)).replace("\\\n", " ")
    yield from joined.splitlines()


def _command(line: str, path: Path) -> list[str] | None:
    """The first command of a RUN line, if it is one of the tools and reads nothing but this file."""
    first = re.split(r"\s[|&;]|\s\d?>", line.strip().removeprefix("not ").removeprefix("%roundtrip"))[0]
    if line.strip().startswith("%roundtrip"):
        return ["mlc-opt", INPUT, "--mlir-print-op-generic"]
    replaced = first.replace("%s", INPUT).replace("%S", str(path.parent)).replace("%t", "result")
    try:
        words = shlex.split(replaced)
    except ValueError:
        return None
    if not words or words[0] not in ("mlc-opt", "mlc-translate") or "%" in replaced:
        return None
    return words if INPUT in words else [*words, INPUT]
