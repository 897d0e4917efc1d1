"""`--help`, `--list-passes` and `--version` of mlc-opt."""

from __future__ import annotations

from mlc.tools.command_line import flag_help
from mlc.tools.opt.flags import FLAGS

_USAGE = """OVERVIEW: mlc's pass runner: MLIR text in, MLIR text out

USAGE: mlc-opt [options] [file]        without a file, or with '-', reads stdin

Passes run in the order given: mlc-opt --canonicalize --affine-loop-unroll="unroll-factor=4" in.mlir
Passes on functions are nested in func.func.

OPTIONS:
"""


def version_text() -> str:
    """Our version and that of the MLIR wheel."""
    from mlc.bindings.wheel import wheel_version
    from mlc.version import VERSION

    return f"mlc-opt {VERSION} (upstream MLIR from torch-mlir {wheel_version()})\n"


def help_text() -> str:
    """All flags, then all passes and pipelines with their options."""
    return f"{_USAGE}{flag_help(FLAGS)}\n\n{list_text(options=True)}"


def dialects_text() -> str:
    """The names of all dialects on one line, in mlir-opt's words."""
    from mlc.bindings.upstream_dialects import UPSTREAM_DIALECTS
    from mlc.tools.opt.our_dialects import OUR_DIALECTS

    return f"Available Dialects: {','.join(sorted([*UPSTREAM_DIALECTS, *OUR_DIALECTS]))}\n"


def list_text(*, options: bool = False) -> str:
    """Passes and pipelines by origin, one per line; with `options` also what each accepts."""
    from mlc.bindings.upstream_table import upstream_passes
    from mlc.pipelines.named import lookup_pipeline, pipeline_names

    lines = ["PIPELINES:"]
    lines += [f"  --{name:<42} {','.join(lookup_pipeline(name) or [])}" for name in pipeline_names()]
    lines += ["", "PASSES OF MLC:", *_our_passes(options), "", "PASSES OF UPSTREAM MLIR:"]
    for each in upstream_passes().values():
        suffix = f"  {{{each.options}}}" if options and each.options else ""
        lines.append(f"  --{each.name:<42} on {each.anchor}{suffix}")
    return "\n".join(lines) + "\n"


def _our_passes(options: bool) -> list[str]:
    import inspect

    from mlc.passes import registry

    lines = []
    for name in registry.names():
        cls = registry.lookup(name)
        if cls is None:
            continue
        summary = (inspect.getdoc(cls) or "").partition("\n")[0]
        lines.append(f"  --{name:<42} {summary} (on {cls.anchor}, {cls.exactness})")
        for info in cls.options() if options else ():
            choices = f" ({', '.join(info.choices)})" if info.choices else ""
            lines.append(
                f"      {info.name}=<{info.type_name}>  {info.help}{choices}; default {info.default_text}"
            )
    return lines
