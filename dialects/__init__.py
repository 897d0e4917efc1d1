"""mlc's own dialects: `graph`, `tloop` and `accel`."""

from __future__ import annotations

from mlc.bindings import create_context as create_upstream_context
from mlc.bindings import ext, ir
from mlc.threads import ForkedLock, importing

# The bindings find a dialect's module here; otherwise they search the disk at every access to an op.
ext._cext.globals.append_dialect_search_prefix(__name__)


# Loading writes to the dialects' classes, which all contexts share.
_loading = ForkedLock()


def load(context: ir.Context) -> None:
    """Loads every dialect of this package that the context lacks."""
    with importing:
        from mlc.dialects.accel import Accel
        from mlc.dialects.graph import GraphDialect
        from mlc.dialects.tloop import TLoop

    with _loading, context:
        for dialect in (GraphDialect, TLoop, Accel):
            if not context.is_dialect_loaded(dialect.DIALECT_NAMESPACE):
                dialect.load()


def create_context(*, allow_unregistered_dialects: bool = False) -> ir.Context:
    """Returns a context with upstream's dialects and this package's; multithreading is off and must stay
    off."""
    context = create_upstream_context(allow_unregistered_dialects=allow_unregistered_dialects)
    load(context)
    return context
