"""`--help` and `--list-passes` of mlc-opt."""

from __future__ import annotations

from mlc.tools.command_line import flag_help
from mlc.tools.opt.flags import FLAG_GROUPS

_USAGE = """OVERVIEW: mlc's pass runner: MLIR text in, MLIR text out

USAGE: mlc-opt [options] [file]        without a file, or with '-', reads stdin

Passes run in the order given: mlc-opt --canonicalize --affine-loop-unroll="unroll-factor=4" in.mlir
Passes on functions are nested in func.func. Long options begin with one dash or with two.

"""


def help_text() -> str:
    """All flags by group, then all pipelines and passes with their options."""
    groups = "\n\n".join(f"{title}:\n\n{flag_help(flags)}" for title, flags in FLAG_GROUPS.items())
    return f"{_USAGE}{groups}\n\n{list_text(options=True)}"


def dialects_text() -> str:
    """The names of all dialects on one line, in mlir-opt's words."""
    from mlc.bindings.upstream_table import UPSTREAM_DIALECTS
    from mlc.tools.dialect_names import OUR_DIALECTS

    return f"Available Dialects: {','.join(sorted([*UPSTREAM_DIALECTS, *OUR_DIALECTS]))}\n"


def list_text(*, options: bool = False) -> str:
    """Passes and pipelines by origin, one per line; with `options` also what each accepts."""
    from mlc.bindings.upstream_table import upstream_passes
    from mlc.pipelines.named import lookup_pipeline, pipeline_names

    lines = ["Pipelines of mlc:", ""]
    lines += [f"  --{name:<42} {','.join(lookup_pipeline(name) or [])}" for name in pipeline_names()]
    lines += ["", "Passes of mlc:", "", *_our_passes(options), "", _upstream_title(options), ""]
    for value in upstream_passes().values():
        lines.append(f"  --{value.name:<42} on {', '.join(value.anchors) or 'any op'}")
        if options:
            lines += [f"      {text}" for text in _upstream_options(value.options)]
    return "\n".join(lines) + "\n"


def _upstream_title(options: bool) -> str:
    lists = (
        " (their options that are lists are not shown, as the bindings do not show them)" if options else ""
    )
    return f"Passes of upstream MLIR{lists}:"


def _upstream_options(text: str) -> list[str]:
    from mlc.passes.options import split_options

    return [f"{name}=<value>{f'  default {value}' if value else ''}" for name, value in split_options(text)]


def _our_passes(options: bool) -> list[str]:
    from mlc.passes import registry
    from mlc.passes.summary import summary

    lines = []
    for name in registry.names():
        found = summary(name)
        if found is None:
            continue
        lines.append(f"  --{name:<42} {found.text} (on {found.anchor}, {found.exactness})")
        for info in found.options if options else ():
            choices = f" ({', '.join(info.choices)})" if info.choices else ""
            lines.append(
                f"      {info.name}=<{info.type_name}>  {info.help}{choices}; default {info.default_text}"
            )
    return lines
