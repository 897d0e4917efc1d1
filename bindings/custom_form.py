"""Ops of Python-defined dialects have no custom form, and the parser fails on one without a word."""

from __future__ import annotations

import re

from mlc.bindings import ir
from mlc.bindings.diagnostics import Diagnostic

# An op at the start of a statement: behind `%results =`, a brace or nothing.
_CUSTOM_FORM = re.compile(r"(?:^|[{}])[ \t]*(?:%[\w$.:,% \t-]+=[ \t]*)?([a-z_]\w*\.[\w.$]+)", re.MULTILINE)


def unparsable_op(text: str, context: ir.Context, source_name: str) -> Diagnostic | None:
    """The diagnostic for the first op of `text` that the parser refuses without one; None if there is none.

    Call it where the parser failed without a diagnostic, with none of `context`'s handlers attached but
    silent ones.
    """
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
    said: list[str] = []

    def listen(diagnostic: ir.Diagnostic) -> bool:
        said.append(diagnostic.message)
        return True

    handler = context.attach_diagnostic_handler(listen)
    try:
        ir.Module.parse(name, context=context)
    except ir.MLIRError:
        return not said
    finally:
        handler.detach()
    return False
