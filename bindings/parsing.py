"""Parses modules with the source's name in every location and every message.

Ops of Python-defined dialects have no custom form; the parser fails on one without a diagnostic.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from mlc.bindings import former_names, ir
from mlc.bindings.diagnostics import Diagnostic, DiagnosticsError, capture_diagnostics

# An op at the start of a statement: after `%results =`, a brace or nothing.
_CUSTOM_FORM = re.compile(r"(?:^|[{}])[ \t]*(?:%[\w$.:,% \t-]+=[ \t]*)?([a-z_]\w*\.[\w.$]+)", re.MULTILINE)


def unparsable_op(text: str, context: ir.Context, source_name: str) -> Diagnostic | None:
    """Returns the diagnostic for the first op of `text` that the parser refuses without one, or None.

    To be called after the parser failed without a diagnostic, with only silent handlers attached to
    `context`."""
    refused: dict[str, bool] = {}
    for found in _CUSTOM_FORM.finditer(text):
        name = found[1]
        if name not in refused:
            refused[name] = context.is_registered_operation(name) and _is_refused_silently(name, context)
        if refused[name]:
            start = found.start(1)
            line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
            where = ir.Location.file(source_name, line, column, context=context)
            return Diagnostic("error", f"'{name}' has no custom form; write \"{name}\"(...) instead", where)
    return None


def _is_refused_silently(name: str, context: ir.Context) -> bool:
    messages: list[str] = []

    def listen(diagnostic: ir.Diagnostic) -> bool:
        messages.append(diagnostic.message)
        return True

    handler = context.attach_diagnostic_handler(listen)
    try:
        ir.Module.parse(name, context=context)
    except ir.MLIRError:
        return not messages
    finally:
        handler.detach()
    return False


Listener = Callable[[Diagnostic], None]
_Parsed = TypeVar("_Parsed", ir.Module, ir.OpView)

# The bindings' name for the buffer of a string; the parser of modules takes no other.
_BUFFER_NAME = "-"


class ParseError(DiagnosticsError):
    """The text is not valid IR; the message starts with `file:line:column: error:`."""


def parse_module(
    text: str,
    context: ir.Context,
    source_name: str = _BUFFER_NAME,
    *,
    listener: Listener | None = None,
    first_line: int = 0,
) -> ir.Module:
    """Parses and verifies `text`; several top-level ops get an implicit module, as in mlir-opt.

    Locations name `source_name`; that of the text as a whole gets line `first_line`. `listener` sees
    diagnostics as they are emitted. Raises `ParseError`.
    """
    rename = _Renaming(_BUFFER_NAME, source_name, first_line)
    module = _parse(lambda: ir.Module.parse(text, context=context), context, rename, listener, text)
    if source_name != _BUFFER_NAME:
        rename.inside(module.operation)
    return module


def parse_operation(
    text: str,
    context: ir.Context,
    source_name: str = _BUFFER_NAME,
    *,
    listener: Listener | None = None,
    first_line: int = 0,
) -> ir.OpView:
    """Parses and verifies `text`, a single op. Raises `ParseError`."""
    rename = _Renaming(source_name, source_name, first_line)
    return _parse(
        lambda: ir.Operation.parse(text, source_name=source_name, context=context),
        context,
        rename,
        listener,
        text,
    )


def parse_file(path: str | Path, context: ir.Context, *, listener: Listener | None = None) -> ir.Module:
    """Parses and verifies a file of text or bytecode.

    Raises `ParseError`, and `OSError` if it cannot be read.
    """
    with open(path, "rb"):
        pass  # the parser's own message for an unreadable file has no cause in it
    rename = _Renaming(str(path), str(path))
    return _parse(
        lambda: ir.Module.parseFile(str(path), context=context), context, rename, listener, Path(path)
    )


def parse_bytecode(
    data: bytes, context: ir.Context, source_name: str = _BUFFER_NAME, *, listener: Listener | None = None
) -> ir.Module:
    """Parses MLIR bytecode, which holds its own locations. Raises `ParseError`.

    The bindings' parser of bytes refuses data that is not aligned, which Python's is not; its parser of
    files maps them aligned.
    """
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".mlirbc") as file:
        file.write(data)
        file.flush()
        rename = _Renaming(file.name, source_name)
        path = Path(file.name)
        return _parse(
            lambda: ir.Module.parseFile(file.name, context=context), context, rename, listener, path
        )


def _parse(
    parse: Callable[[], _Parsed],
    context: ir.Context,
    rename: _Renaming,
    listener: Listener | None,
    source: str | Path,
) -> _Parsed:
    """Returns what `parse` does. `source` is its text, or its file of text or bytecode."""
    captured: list[Diagnostic] = []

    def emit(diagnostic: Diagnostic) -> None:
        captured.append(rename.diagnostic(diagnostic))
        if listener is not None:
            listener(captured[-1])

    with capture_diagnostics(context, lambda diagnostic: emit(former_names.with_present_names(diagnostic))):
        try:
            parsed = parse()
        except ir.MLIRError as error:
            if (
                not captured
                and isinstance(source, str)
                and (refused := unparsable_op(source, context, rename.old))
            ):
                emit(refused)
            raise ParseError(f"{rename.new}: cannot be parsed", captured) from error
        if former_names.occur_in(source) and (outdated := former_names.first_diagnostic(parsed.operation)):
            emit(outdated)
            raise ParseError(f"{rename.new}: has a former name", captured)
    return parsed


class _Renaming:
    """Replaces the name of a source in locations. The parser itself only makes plain file locations."""

    def __init__(self, old: str, new: str, first_line: int = 0) -> None:
        self.old, self.new, self.first_line = old, new, first_line

    def location(self, location: ir.Location | None) -> ir.Location | None:
        """Returns `location` with the new name if it is in the renamed source, otherwise unchanged."""
        if isinstance(location, ir.FileLineColLoc) and location.filename == self.old:
            # Line 0 is that of the buffer as a whole.
            line, column = location.start_line or self.first_line, location.start_col
            return ir.Location.file(self.new, line, column, context=location.context)
        return location

    def diagnostic(self, diagnostic: Diagnostic) -> Diagnostic:
        """Returns `diagnostic` with the new name in its location and in those of its notes."""
        notes = tuple(self.diagnostic(note) for note in diagnostic.notes)
        where = self.location(diagnostic.location)
        return Diagnostic(diagnostic.severity, diagnostic.message, where, notes)

    def inside(self, root: ir.Operation) -> None:
        """Renames the locations of all ops and block arguments."""

        def visit(op: ir.Operation) -> ir.WalkResult:
            op.location = self.location(op.location)
            for region in op.regions:
                for block in region:
                    for argument in block.arguments:
                        argument.set_location(self.location(argument.location))
            return ir.WalkResult.ADVANCE

        root.walk(visit)
