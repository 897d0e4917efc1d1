"""The context factory."""

from __future__ import annotations

from mlc.bindings import ir


def create_context(*, allow_unregistered_dialects: bool = False) -> ir.Context:
    """Returns a context with every upstream dialect available (loaded when first parsed or built).

    Multithreading is off and must stay off: nested upstream passes that call back into Python-defined ops
    (`cse`, `canonicalize`, verifiers) deadlock on the interpreter lock otherwise.
    """
    context = ir.Context()
    context.enable_multithreading(False)
    context.allow_unregistered_dialects = allow_unregistered_dialects
    return context
