"""Loads dialects that a file defines in IRDL, for `--irdl-file`."""

from __future__ import annotations

from collections.abc import Set

from mlc.bindings import Diagnostic, DiagnosticsError, ir, parse_module
from mlc.bindings.parsing import Listener
from mlc.passes.common.rewriting import collect_ops
from mlc.tools.sources import read_input


def load_irdl(path: str, context: ir.Context, listener: Listener, known: Set[str]) -> set[str]:
    """Loads the dialects of the file at `path`, and returns their names.

    Upstream aborts on dialects that are already loaded, so names in `known` are errors. Raises
    `DiagnosticsError` after `listener` got the diagnostic, and `OSError`.
    """
    from mlc.bindings import irdl

    name, raw = read_input(path)
    module = parse_module(raw.decode(errors="replace"), context, name, listener=listener)
    names: set[str] = set()
    for op in collect_ops(module.operation, "irdl.dialect"):
        defined = ir.StringAttr(op.attributes["sym_name"]).value
        if defined in known | names:
            _fail(f"dialect '{defined}' is already registered", op.location, listener)
        names.add(defined)
    if not names:
        _fail("no irdl.dialect in this file", module.operation.location, listener)
    irdl.load_dialects(module)
    return names


def _fail(message: str, location: ir.Location, listener: Listener) -> None:
    diagnostic = Diagnostic("error", message, location)
    listener(diagnostic)
    raise DiagnosticsError(message, [diagnostic])
