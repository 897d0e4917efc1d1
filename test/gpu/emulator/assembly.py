"""Inline PTX: instructions with their operands, and the table of those that are known."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .decode import Op
from .errors import UnknownOp
from .registry import op
from .unit import Unit
from .values import Value, split_list

Operand = str | list[Any]
_SKIPPED = (".reg", "setp.", "bra", "LAB", "DONE", "{", "}")
_STATEMENT = re.compile(r"(?:@(?P<guard>!?[\w%$]+)\s+)?(?P<opcode>[a-z][\w.:]*)\s*(?P<rest>.*)", re.DOTALL)
ASSEMBLY: dict[str, Callable[..., list[Value]]] = {}


@dataclass(frozen=True)
class Instruction:
    """One instruction: operands are texts ("$3", "[$0]", "1", "p"), or lists of texts for those in braces.
    `predicates` says from which operand a predicate is set."""

    opcode: str
    operands: tuple[Operand, ...]
    predicates: dict[str, str]
    outputs: int
    tied: dict[int, int]  # output -> the input that comes in its register

    @staticmethod
    def parse(text: str, constraints: str) -> Instruction:
        """The one instruction of `text` that is known. Raises `UnknownOp`."""
        statements = [statement.strip() for statement in re.sub(r"\s+", " ", text).strip(" {}").split(";")]
        predicates = dict(re.findall(r"setp\.ne\.[bus]32 ([\w%]+), (\$\d+), 0", text))
        constraint = [item for item in constraints.split(",") if not item.startswith("~")]
        outputs = sum(item.startswith("=") for item in constraint)
        tied = {int(item): i for i, item in enumerate(constraint) if item.isdigit()}
        for statement in statements:
            match = _STATEMENT.fullmatch(statement.lstrip("{} "))
            if match and not statement.startswith(_SKIPPED) and _handler_name(match["opcode"]):
                parts = (_operand(part) for part in split_list(match["rest"]))
                return Instruction(match["opcode"], tuple(parts), predicates, outputs, tied)
        raise UnknownOp(f"the emulator has no function for the PTX {text[:120]!r}")

    def value(self, operand: Operand, values: tuple[Value, ...]) -> Any:
        """Returns an operand: a value of the op, an integer, a list of those, or None for a register that
        has no input."""
        if isinstance(operand, list):
            return [self.value(part, values) for part in operand]
        text = self.predicates.get(operand, operand).strip("[]% ")
        if not text.startswith("$"):
            return int(text, 0)
        index = int(text[1:])
        index = self.tied.get(index, -1) if index < self.outputs else index
        return values[index - self.outputs] if index >= 0 else None


def _operand(text: str) -> Operand:
    return split_list(text[1:-1]) if text.startswith("{") else text


def _handler_name(opcode: str) -> str:
    """The longest name in the table that begins `opcode`."""
    return max((name for name in ASSEMBLY if opcode.startswith(name)), key=len, default="")


def assembly(*names: str) -> Callable[[Callable[..., list[Value]]], Callable[..., list[Value]]]:
    """Registers a function for the instructions whose opcode begins with one of `names`. It takes the unit,
    the instruction and the op's values, and returns the outputs."""

    def add(handler: Callable[..., list[Value]]) -> Callable[..., list[Value]]:
        ASSEMBLY.update(dict.fromkeys(names, handler))
        return handler

    return add


@op("llvm.inline_asm")
def _inline_asm(unit: Unit, op: Op, *values: np.ndarray) -> Value:
    if "instruction" not in op.memo:
        parsed = Instruction.parse(op.attributes["asm_string"], op.attributes["constraints"])
        op.memo["instruction"] = parsed, ASSEMBLY[_handler_name(parsed.opcode)]
    instruction, handler = op.memo["instruction"]
    outputs = handler(unit, instruction, values)
    if not op.results:
        return None
    return outputs[0] if op.result_types[0].dtype is not None else tuple(outputs)
