"""From a chunk of input to IR in a context of its own."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import create_context, ir, parse_module
from mlc.bindings.parsing import Listener, parse_bytecode, parse_operation
from mlc.tools.opt.our_dialects import OUR_DIALECTS
from mlc.tools.sources import Chunk, read_input


@dataclass(frozen=True)
class InputOptions:
    """How input is read. `irdl_files` define dialects; `our_dialects` loads mlc's whatever the text says."""

    allow_unregistered: bool = False
    implicit_module: bool = True
    irdl_files: tuple[str, ...] = ()
    our_dialects: bool = False


def make_context(options: InputOptions, raw: bytes, listener: Listener) -> ir.Context:
    """A context with the dialects that `raw` may need.

    Raises `ParseError`, and `OSError` for an IRDL file that cannot be read.
    """
    # Text without their names needs no dialect of ours, and loading them costs start-up time.
    context = create_context(allow_unregistered_dialects=options.allow_unregistered)
    if options.our_dialects or any(name.encode() in raw for name in OUR_DIALECTS):
        from mlc.dialects import load

        load(context)
    for path in options.irdl_files:
        _load_irdl(path, context, listener)
    return context


def parse(
    chunk: Chunk, options: InputOptions, context: ir.Context, listener: Listener
) -> ir.Module | ir.OpView:
    """The IR of `chunk`. Raises `ParseError`."""
    name, first_line = chunk.source.name, chunk.source.line
    if chunk.is_bytecode:
        return parse_bytecode(chunk.raw, context, name, listener=listener)
    if not options.implicit_module:
        return parse_operation(chunk.source.text, context, name, listener=listener, first_line=first_line)
    return parse_module(chunk.source.text, context, name, listener=listener, first_line=first_line)


def _load_irdl(path: str, context: ir.Context, listener: Listener) -> None:
    from mlc.bindings import irdl

    _, raw = read_input(path)
    module = parse_module(raw.decode(errors="replace"), context, path, listener=listener)
    irdl.load_dialects(module)
