"""Reproducers: one file with the IR and the pipeline that failed on it, in mlir-opt's form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from mlc.bindings import ir
from mlc.pipelines.output_file import write_file

_FIELD = re.compile(r'\b(pipeline|verify_each|disable_threading): ("(?:[^"\\]|\\.)*"|true|false)')
_BLOCK = re.compile(r"\{-#\s*external_resources:\s*\{\s*mlir_reproducer:\s*\{(.*?)\}\s*\}\s*#-\}", re.DOTALL)


_RUN_WITH = "// Run with: mlc-opt --run-reproducer %s"
_RUN_LINE = re.compile(rf"^{_RUN_WITH}(.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class Reproducer:
    """A reproducer as `read_reproducer` reads it: the IR text without the resource block, and the pipeline.

    `flags` are those of mlc-opt that the run needs, say to load a plugin, as a shell takes them.
    """

    text: str
    pipeline: str
    verify_each: bool
    flags: str = ""


def reproducer_text(
    ir_or_text: ir.Operation | str, pipeline: str, verify_each: bool = True, flags: str = ""
) -> str:
    """Returns the IR followed by the command and `pipeline`, in the form that mlir-opt and mlc-opt rerun."""
    body = ir_or_text
    if isinstance(body, ir.Operation):
        body = body.get_asm(enable_debug_info=True, print_generic_op_form=True, assume_verified=True)
    escaped = pipeline.replace("\\", "\\\\").replace('"', '\\"')
    block = (
        "{-#\n  external_resources: {\n    mlir_reproducer: {\n"
        f'      pipeline: "{escaped}",\n      disable_threading: true,\n'
        f"      verify_each: {'true' if verify_each else 'false'}\n    }}\n  }}\n#-}}\n"
    )
    # At the end, so that the line numbers of the IR stay the same.
    return f"{body.rstrip()}\n\n{_RUN_WITH}{flags and f' {flags}'}\n{block}"


def write_reproducer(
    path: str | Path, op: ir.Operation, pipeline: str, verify_each: bool = True, flags: str = ""
) -> Path:
    """Writes a reproducer in one step and returns its path. Raises `OSError` that names `path`."""
    write_file(path, reproducer_text(op, pipeline, verify_each, flags))
    return Path(path)


def read_reproducer(text: str) -> Reproducer | None:
    """Returns the reproducer in `text`, or None if it holds none."""
    block = _BLOCK.search(text)
    fields = dict(_FIELD.findall(block[1])) if block else {}
    if block is None or "pipeline" not in fields:
        return None
    pipeline = re.sub(r"\\(.)", r"\1", fields["pipeline"][1:-1])
    body = text[: block.start()] + text[block.end() :]
    run = _RUN_LINE.search(body)
    return Reproducer(
        _RUN_LINE.sub("", body), pipeline, fields.get("verify_each") != "false", run[1].strip() if run else ""
    )
