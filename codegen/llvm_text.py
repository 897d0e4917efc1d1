"""LLVM IR text of the MLIR wheel (LLVM 24) made fit for llvmlite (LLVM 22) and for our runtime.

Everything but floating-point literals parses unchanged. An intrinsic that LLVM 22 does not know would
parse as an ordinary external function and fail at load time: `unknown_intrinsics` finds those.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from mlc.codegen.float_literals import FORMATS, legacy_literal

_NEEDS_WORK = re.compile(r"\d\.|[+-]inf|nan|f0x|__kmpc_")

# One token per alternative; strings and comments are matched so that nothing inside them is.
_TOKEN = re.compile(
    r"""
    (?P<skip>"[^"]*"|;.*)
  | (?P<runtime>@__kmpc_)
  | (?P<type>(?<![\w.%@$\#!-])(?:half|bfloat|float|double|fp128|x86_fp80|ppc_fp128)(?![\w.-]))
  | (?P<literal>(?<![\w.%@$\#!"+-])
        (?:[+-]inf|[+-]qnan|[+-]s?nan\(0x[0-9A-Fa-f]+\)|f0x[0-9A-Fa-f]+|[+-]?\d+\.\d*(?:[eE][+-]?\d+)?)
        (?![\w.]))
    """,
    re.VERBOSE,
)

_TARGET_LINE = re.compile(r"^target (?:datalayout|triple) = .*\n?", re.MULTILINE)
_ATTRIBUTE_GROUP = re.compile(r"^attributes #(\d+)", re.MULTILINE)
_AFTER_PARAMETERS = re.compile(r"(?: (?:unnamed_addr|local_unnamed_addr|addrspace\(\d+\)))*")


def to_llvm22(text: str, own_runtime: bool = True) -> str:
    """`text` in LLVM 22's syntax; with `own_runtime`, OpenMP's entry points `__kmpc_*` become our
    `mlc_kmpc_*`.

    Idempotent: text that LLVM 22 printed comes back as it is.
    """
    return "\n".join(_rewrite_line(line, own_runtime) for line in text.split("\n"))


def _rewrite_line(line: str, own_runtime: bool) -> str:
    if not _NEEDS_WORK.search(line) or line.startswith(("source_filename", "target ")):
        return line
    type_name = ""  # the type most recently named: in LLVM's text a constant follows its type

    def rewrite(token: re.Match[str]) -> str:
        nonlocal type_name
        found = token.group()
        if token.lastgroup == "runtime":
            return "@mlc_kmpc_" if own_runtime else found
        if token.lastgroup == "type":
            type_name = found
        if token.lastgroup == "literal" and type_name in FORMATS:
            return legacy_literal(type_name, found)
        return found

    return _TOKEN.sub(rewrite, line)


def set_target(text: str, triple: str, data_layout: str) -> str:
    """`text` with its target lines replaced."""
    head = f'target datalayout = "{data_layout}"\ntarget triple = "{triple}"\n'
    return head + _TARGET_LINE.sub("", text)


def add_definition_attributes(text: str, attributes: dict[str, str], plain: str = "") -> str:
    """`text` with string `attributes`, and those of LLVM's own written in `plain`, on every function
    definition; what a function already has stays."""
    if not (attributes or plain):
        return text
    group = max((int(number) for number in _ATTRIBUTE_GROUP.findall(text)), default=-1) + 1
    body = " ".join([plain, *(f'"{name}"="{value}"' for name, value in attributes.items())])
    lines = (_add_group(line, group) if line.startswith("define ") else line for line in text.split("\n"))
    return "\n".join(lines) + f"\nattributes #{group} = {{ {body} }}\n"


def _add_group(line: str, group: int) -> str:
    """A `define` line with attribute group `group` put before the function's own, so that its own win."""
    end = _AFTER_PARAMETERS.match(line, _parameters_end(line))
    assert end is not None  # the pattern matches the empty string
    return f"{line[: end.end()]} #{group}{line[end.end() :]}"


def _parameters_end(line: str) -> int:
    """Position after the parenthesis that closes the parameter list of a `define` line."""
    depth = 0
    name = re.search(r'@(?:"[^"]*"|[\w.$-]+)', line)
    for token in re.compile(r'"[^"]*"|[()]').finditer(line, name.end() if name else 0):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if depth == 0 and token.group() == ")":
            return token.end()
    return len(line)


class _Function(Protocol):
    name: str
    is_declaration: bool


def unknown_intrinsics(functions: Iterable[_Function]) -> list[str]:
    """Names of declared `llvm.*` functions that this LLVM does not know; its printer marks them."""
    return [
        function.name
        for function in functions
        if function.is_declaration
        and function.name.startswith("llvm.")
        and str(function).lstrip().startswith("; Unknown intrinsic")
    ]
