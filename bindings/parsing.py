"""Parsing of modules with the source's name in every location and every message."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from mlc.bindings import ir
from mlc.bindings.diagnostics import Diagnostic, DiagnosticsError, capture_diagnostics

# What the bindings call the buffer of a string; the parser of modules cannot be told another name.
_BUFFER_NAME = "-"


class ParseError(DiagnosticsError):
    """Text that is not valid IR. The message starts with `file:line:column: error:`."""


def parse_module(
    text: str,
    context: ir.Context,
    source_name: str = _BUFFER_NAME,
    *,
    listener: Callable[[Diagnostic], None] | None = None,
) -> ir.Module:
    """Parses and verifies `text`; several top-level ops get an implicit module, as in mlir-opt.

    Locations name `source_name`. `listener` sees diagnostics as they are emitted. Raises `ParseError`.
    """

    def renamed(diagnostic: Diagnostic) -> Diagnostic:
        location = _rename(diagnostic.location, source_name)
        return Diagnostic(
            diagnostic.severity,
            diagnostic.message,
            location,
            tuple(renamed(note) for note in diagnostic.notes),
        )

    forward = (lambda emitted: listener(renamed(emitted))) if listener else None
    with capture_diagnostics(context, forward) as captured:
        try:
            module = ir.Module.parse(text, context=context)
        except ir.MLIRError as error:
            raise ParseError(
                f"{source_name}: cannot be parsed", [renamed(each) for each in captured]
            ) from error
    if source_name != _BUFFER_NAME:
        _rename_all(module.operation, source_name)
    return module


def parse_file(
    path: str | Path, context: ir.Context, *, listener: Callable[[Diagnostic], None] | None = None
) -> ir.Module:
    """Parses and verifies a file of text or bytecode. Raises `ParseError`, and `OSError` if it cannot be
    read.
    """
    with open(path, "rb"):
        pass  # the parser's own message for an unreadable file has no cause in it
    with capture_diagnostics(context, listener) as captured:
        try:
            return ir.Module.parseFile(str(path), context=context)
        except ir.MLIRError as error:
            raise ParseError(f"{path}: cannot be parsed", captured) from error


def parse_bytecode(
    data: bytes, context: ir.Context, *, listener: Callable[[Diagnostic], None] | None = None
) -> ir.Module:
    """Parses MLIR bytecode. Raises `ParseError`.

    The bindings' parser of bytes refuses data that is not aligned, which Python's is not; its parser of
    files maps them aligned.
    """
    with tempfile.NamedTemporaryFile(suffix=".mlirbc") as file:
        file.write(data)
        file.flush()
        return parse_file(file.name, context, listener=listener)


def _rename_all(root: ir.Operation, source_name: str) -> None:
    renamed: dict[ir.Location, ir.Location] = {}

    def new(location: ir.Location) -> ir.Location:
        if location not in renamed:
            renamed[location] = _rename(location, source_name)
        return renamed[location]

    def visit(op: ir.Operation) -> ir.WalkResult:
        op.location = new(op.location)
        for region in op.regions:
            for block in region:
                for argument in block.arguments:
                    argument.set_location(new(argument.location))
        return ir.WalkResult.ADVANCE

    root.walk(visit)


def _rename(location: ir.Location, source_name: str) -> ir.Location:
    """`location` with the string buffer's name replaced. Only file locations come from the parser itself."""
    if isinstance(location, ir.FileLineColLoc) and location.filename == _BUFFER_NAME:
        return ir.Location.file(
            source_name, location.start_line, location.start_col, context=location.context
        )
    return location
