"""Former names of ops and attributes: a module that has one is refused with the present name."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mlc.bindings import ir
from mlc.bindings.diagnostics import Diagnostic

FORMER_NAMES = {
    "accel.await_turn": "accel.await_ping_pong",
    "accel.pass_turn": "accel.pass_ping_pong",
    "accel.take_turns": "accel.ping_pong",
    "graph.kind": "graph.object_type",
    "graph.object_numbers": "graph.object_ids",
    "graph.on_read": "graph.rematerialize",
    "tloop.kinds": "tloop.object_types",
    "tloop.numbers": "tloop.size_values",
}
_PATTERN = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in FORMER_NAMES))
_BYTES_PATTERN = re.compile(_PATTERN.pattern.encode())


def occur_in(source: str | Path) -> bool:
    """Whether a former name occurs in a text or in a file of text or bytecode, be it in a comment."""
    if isinstance(source, str):
        return _PATTERN.search(source) is not None
    with source.open("rb") as file:
        if not source.stat().st_size:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _BYTES_PATTERN.search(data) is not None


def first_diagnostic(root: ir.Operation) -> Diagnostic | None:
    """Returns the error for the first op within `root` that has an attribute with a former name, or None."""
    diagnostics: list[Diagnostic] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        for name in _attribute_names(op):
            if name in FORMER_NAMES:
                diagnostics.append(Diagnostic("error", _message(name), op.location))
                return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    root.walk(visit)
    return diagnostics[0] if diagnostics else None


def with_present_names(diagnostic: Diagnostic) -> Diagnostic:
    """Adds a note to a parser's diagnostic that quotes a former name of an op."""
    found = _PATTERN.search(diagnostic.message)
    if found is None:
        return diagnostic
    note = Diagnostic("note", _message(found[0]), diagnostic.location)
    return replace(diagnostic, notes=(*diagnostic.notes, note))


def _message(name: str) -> str:
    return f"'{name}' is now '{FORMER_NAMES[name]}'"


def _attribute_names(op: ir.Operation) -> Iterator[str]:
    """Names of the op's attributes, and of those of a function's arguments and results."""
    for name in op.attributes:
        yield name
        if name in ("arg_attrs", "res_attrs"):
            for entry in op.attributes[name]:
                yield from (attribute.name for attribute in ir.DictAttr(entry))
