"""The job that compiles a model for single sizes, in a worker process beside a running program."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Any

from mlc.codegen.cache import default_root
from mlc.codegen.inline_jobs import InlineJobs
from mlc.compiler.driver import compile_bundle
from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.compiler.sources.onnx_model import OnnxSource

# Low priority (the lowest is 19): the running program comes first.
_NICE = 10


def compile_sizes(payload: dict[str, Any]) -> dict[str, Any]:
    """Job: {"model": a path or bytes, "digest", "options"} -> {"bundle"}. Raises CompileError for a file that
    is another model by now, and what `compile_program` raises."""
    os.nice(_NICE)
    options = Options(**payload["options"], pool=InlineJobs())
    source = OnnxSource(payload["model"])
    # The process that asks has shown the warnings.
    source.warnings.quiet = True
    if source.digest() != payload["digest"]:
        raise CompileError(f"{payload['model']} has changed")
    with _exclusive() if options.uses_cache() else nullcontext():
        return {"bundle": compile_bundle(source, options)}


@contextmanager
def _exclusive() -> Iterator[None]:
    """Waits until no other process compiles for sizes into this cache, which then may have the program.
    Does not wait where the cache cannot be written."""
    with ExitStack() as stack:
        with suppress(OSError):
            root = default_root()
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = stack.enter_context(open(root / "sizes.lock", "wb"))
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
