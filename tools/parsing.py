"""Parses a chunk of input to IR in a new context."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import create_context, ir, parse_module
from mlc.bindings.parsing import Listener, parse_bytecode, parse_operation
from mlc.bindings.upstream_table import UPSTREAM_DIALECTS
from mlc.tools.child_activity import Activity
from mlc.tools.command_line import CommandLine
from mlc.tools.dialect_names import OUR_DIALECTS
from mlc.tools.irdl_files import load_irdl
from mlc.tools.sources import Chunk


@dataclass(frozen=True)
class InputOptions:
    """Options of parsing. `irdl_files` define dialects; `our_dialects` loads mlc's dialects for any text."""

    allow_unregistered: bool = False
    implicit_module: bool = True
    irdl_files: tuple[str, ...] = ()
    our_dialects: bool = False


def input_options(line: CommandLine, *, our_dialects: bool = False) -> InputOptions:
    """Returns the options that the flags give. Raises `UsageError`."""
    return InputOptions(
        allow_unregistered=line.switch("allow-unregistered-dialect"),
        implicit_module=not line.switch("no-implicit-module"),
        irdl_files=tuple(line.values.get("irdl-file", [])),
        our_dialects=our_dialects,
    )


def make_context(
    options: InputOptions, raw: bytes, listener: Listener, activity: Activity | None = None
) -> ir.Context:
    """Returns a context with the dialects that `raw` may need; IRDL files are steps of `activity`.

    Raises `DiagnosticsError`, and `OSError` for an IRDL file that cannot be read.
    """
    # Text without their names needs no dialect of ours, and loading them costs start-up time.
    context = create_context(allow_unregistered_dialects=options.allow_unregistered)
    if options.our_dialects or any(name.encode() in raw for name in OUR_DIALECTS):
        from mlc.dialects import load

        load(context)
    known = {*UPSTREAM_DIALECTS, *OUR_DIALECTS}
    for path in options.irdl_files:
        if activity:
            activity.begin(f"{path}: error: loading the dialects")
        known |= load_irdl(path, context, listener, known)
    return context


def parse(
    chunk: Chunk, options: InputOptions, context: ir.Context, listener: Listener
) -> ir.Module | ir.OpView:
    """Parses `chunk`. Raises `ParseError`."""
    name, first_line = chunk.source.name, chunk.source.line
    if chunk.is_bytecode:
        return parse_bytecode(chunk.raw, context, name, listener=listener)
    if not options.implicit_module:
        return parse_operation(chunk.source.text, context, name, listener=listener, first_line=first_line)
    return parse_module(chunk.source.text, context, name, listener=listener, first_line=first_line)
