"""The emitc dialect as C or C++ text: the same text as mlir-translate's --mlir-to-cpp."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from mlc.bindings import address, ir
from mlc.tools.translate.cpp.definitions import DEFINITIONS
from mlc.tools.translate.cpp.errors import UnsupportedError, error_at, op_error
from mlc.tools.translate.cpp.expressions import RIGHT_HAND_SIDES
from mlc.tools.translate.cpp.inlining import (
    EXPRESSION,
    expression_root,
    inlined_expressions,
    is_always_inline,
)
from mlc.tools.translate.cpp.operators import precedence
from mlc.tools.translate.cpp.statements import STATEMENTS
from mlc.tools.translate.cpp.types import declaration

_PRINTERS = STATEMENTS | DEFINITIONS
_NO_SEMICOLON = {
    f"emitc.{name}" for name in "declare_func file for if include switch verbatim".split()
} | {"cf.cond_br"}  # fmt: skip
_RECURSION_LIMIT = 30_000
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_INDUCTION_NAMES = "ijklmnopqrst"


def translate(op: ir.Operation, *, declare_variables_at_top: bool = False, file_id: str = "") -> str:
    """The C++ text of `op`, usually a module.

    `declare_variables_at_top` declares variables where functions begin, which functions with several blocks
    need; of the `emitc.file`s only the one called `file_id` is written. Raises `DiagnosticsError` with the
    place of what C++ cannot say.
    """
    emitter = Emitter(inlined_expressions(op), declare_variables_at_top, file_id)
    limit = sys.getrecursionlimit()
    # Half a dozen calls per op of an expression: Python's own limit is a hundred and fifty ops.
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        emitter.emit(op, semicolon=False)
    except RecursionError:
        raise error_at(op, "expressions or regions are nested too deeply to be written as C++") from None
    finally:
        sys.setrecursionlimit(limit)
    return "".join(emitter.pieces)


class Emitter:
    """Collects text, and gives names to values: v1, v2, ... anew in every function."""

    def __init__(self, inlined: set[int], declare_at_top: bool, file_id: str) -> None:
        self.declare_at_top = declare_at_top
        self.file_id = file_id
        self.pieces: list[str] = []
        self.depth = 0
        self.loops = 0
        self._inlined = inlined
        self._names: dict[ir.Value, str] = {}
        self._count = 0
        self._blocks: list[ir.Block] = []

    def emit(self, op: ir.Operation, *, semicolon: bool = True) -> None:
        """Writes one op and what ends it. Raises `DiagnosticsError`."""
        if is_always_inline(op) or self.is_inlined_expression(op):
            return
        with self.located(op):
            if op.name in _PRINTERS:
                _PRINTERS[op.name](self, op)
            elif op.name in RIGHT_HAND_SIDES:
                self.write(f"{self.prefix(op)}{RIGHT_HAND_SIDES[op.name](self, op, 0)}")
            else:
                raise op_error(op, "unable to find printer for op")
        self.write(";\n" if semicolon and op.name not in _NO_SEMICOLON else "\n")

    @contextmanager
    def located(self, op: ir.Operation) -> Iterator[None]:
        """Gives what is unsupported inside the location of `op`."""
        try:
            yield
        except UnsupportedError as error:
            raise error_at(op, str(error)) from error

    def write(self, text: str) -> None:
        """Adds text; whatever begins a line is indented."""
        for line in _LINES.findall(text):
            at_start = not self.pieces or self.pieces[-1].endswith("\n")
            indentation = "  " * self.depth if at_start and line != "\n" else ""
            self.pieces.append(f"{indentation}{line}")

    def indented(self, text: str) -> None:
        """Adds text one level deeper."""
        self.depth += 1
        self.write(text)
        self.depth -= 1

    def block(self, ops: Iterable[ir.Operation], end: str = "") -> None:
        """Adds statements and `end` one level deeper."""
        self.depth += 1
        for op in ops:
            self.emit(op)
        self.write(end)
        self.depth -= 1

    def enter_function(self, blocks: list[ir.Block]) -> None:
        """Forgets all names."""
        self._names, self._count, self._blocks = {}, 0, blocks

    def label(self, block: ir.Block) -> str:
        return f"label{self._blocks.index(block) + 1}"

    def write_label(self, block: ir.Block) -> None:
        """Labels stand at the margin."""
        self.pieces.append(f"{self.label(block)}:\n")

    def name(self, value: ir.Value) -> str:
        """The name of the variable that holds `value`, a new one at first."""
        return self._named(value, "v")

    def name_induction(self, value: ir.Value) -> str:
        """The name of a loop's variable: i, j, ... by depth, with a number."""
        return self._named(value, _INDUCTION_NAMES[self.loops] if self.loops < len(_INDUCTION_NAMES) else "u")

    def _named(self, value: ir.Value, letter: str) -> str:
        if value not in self._names:
            self._count += 1
            self._names[value] = f"{letter}{self._count}"
        return self._names[value]

    def declare(self, value: ir.Value) -> str:
        """The declaration of a variable for `value`. Raises `UnsupportedError`."""
        return declaration(value.type, self.name(value))

    def prefix(self, op: ir.Operation) -> str:
        """What stands in front of the right-hand side: where the results go. Raises `UnsupportedError`."""
        results = list(op.results)
        if self.declare_at_top and any(result not in self._names for result in results):
            raise op_error(op, "result variable for the operation has not been declared")
        if len(results) < 2:
            targets = map(self.name if self.declare_at_top else self.declare, results)
            return "".join(f"{target} = " for target in targets)
        declarations = "" if self.declare_at_top else "".join(f"{self.declare(each)};\n" for each in results)
        return f"{declarations}std::tie({', '.join(map(self.name, results))}) = "

    def expression(self, op: ir.Operation) -> str:
        """The text of an `emitc.expression`."""
        return self._inline(expression_root(op))

    def operand(self, value: ir.Value, level: int = 0) -> str:
        """The text of a used value; in parentheses if it is inlined and binds no stronger than `level`."""
        op = self.defining_op(value)
        if op is None:
            return self.name(self._outer(value))
        if self.is_inlined_expression(op):
            return self._parenthesized(expression_root(op), level)
        if is_always_inline(op) or _is_in_expression(op):
            return self._parenthesized(op, level)
        return self.name(self._outer(value))

    def defining_op(self, value: ir.Value) -> ir.Operation | None:
        """The op that gives `value`, None for an argument of a function or a block."""
        owner = self._outer(value).owner
        return None if isinstance(owner, ir.Block) else owner.operation

    def is_inlined_expression(self, op: ir.Operation) -> bool:
        return op.name == EXPRESSION and address(op) in self._inlined

    def _outer(self, value: ir.Value) -> ir.Value:
        """`value`, or what is passed for it if it is an argument of an expression."""
        while isinstance(value.owner, ir.Block) and value.owner.owner.operation.name == EXPRESSION:
            value = value.owner.owner.operation.operands[ir.BlockArgument(value).arg_number]
        return value

    def _parenthesized(self, op: ir.Operation, level: int) -> str:
        text = self._inline(op)
        return f"({text})" if precedence(op) <= level else text

    def _inline(self, op: ir.Operation) -> str:
        with self.located(op):
            return RIGHT_HAND_SIDES[op.name](self, op, precedence(op))


def _is_in_expression(op: ir.Operation) -> bool:
    parent = op.parent
    return parent is not None and parent.operation.name == EXPRESSION
