"""Rewrites LLVM IR text of the MLIR wheel (LLVM 24) for llvmlite (LLVM 22) and for mlc's runtime.

Everything but floating-point literals parses unchanged. An intrinsic that LLVM 22 does not know would
parse as an external function and fail at load time: `unknown_intrinsics` finds those.

LLVM 23 changed the text of constants (llvm-project #190649): `+inf`, `+qnan`, `+nan(0x1)`, `f0x3EAAAAAB`, and
shortest decimals that are not exact. LLVM 22 reads exact decimals and hexadecimal bits only (LLVM Language
Reference, "Simple Constants").
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple, Protocol


class FloatFormat(NamedTuple):
    """An IEEE binary format: total bits, bits of the stored significand, its prefix in hex literals."""

    width: int
    mantissa: int
    prefix: str

    @property
    def infinity(self) -> int:
        """Bits of +infinity, which are also the mask of the exponent field."""
        return (1 << (self.width - 1)) - (1 << self.mantissa)

    @property
    def min_exponent(self) -> int:
        """Exponent of the smallest normal value."""
        return 2 - (1 << (self.width - self.mantissa - 2))


FORMATS = {
    "half": FloatFormat(16, 10, "0xH"),
    "bfloat": FloatFormat(16, 7, "0xR"),
    "float": FloatFormat(32, 23, "0x"),
    "double": FloatFormat(64, 52, "0x"),
}


def legacy_literal(type_name: str, literal: str) -> str:
    """Returns `literal` of type `type_name` (a key of FORMATS) as LLVM 22 spells it; exact decimals stay."""
    fmt = FORMATS[type_name]
    if _is_decimal(literal):
        value = Fraction(literal)
        bits = round_to_bits(abs(value), fmt)
        if type_name == "double" or _value_of_bits(bits, fmt) == abs(value):
            return literal
        bits |= _sign_bit(literal, fmt)
    else:
        bits = _special_bits(literal, fmt)
    if type_name == "float":
        bits = _widen_to_double(bits)
    digits = (64 if type_name == "float" else fmt.width) // 4
    return f"{fmt.prefix}{bits:0{digits}X}"


def round_to_bits(value: Fraction, fmt: FloatFormat) -> int:
    """Rounds `value` >= 0 to `fmt` and returns the bits; ties to even, infinity on overflow."""
    if value == 0:
        return 0
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if value < Fraction(2) ** exponent:
        exponent -= 1
    exponent = max(exponent, fmt.min_exponent)
    significand = round(value / Fraction(2) ** (exponent - fmt.mantissa))
    # The implicit leading one of a normal value carries into the exponent field; a subnormal has none.
    return min(((exponent - fmt.min_exponent) << fmt.mantissa) + significand, fmt.infinity)


def _is_decimal(literal: str) -> bool:
    return not literal.startswith("f0x") and literal.lstrip("+-")[0].isdigit()


def _sign_bit(literal: str, fmt: FloatFormat) -> int:
    return 1 << (fmt.width - 1) if literal.startswith("-") else 0


def _special_bits(literal: str, fmt: FloatFormat) -> int:
    """Returns the bits of `f0x...`, infinities and NaNs."""
    if literal.startswith("f0x"):
        return int(literal[3:], 16)
    bits = _sign_bit(literal, fmt) | fmt.infinity
    if literal.endswith("inf"):
        return bits
    quiet = 0 if "snan" in literal else 1 << (fmt.mantissa - 1)
    payload = int(literal[literal.index("(") + 1 : -1], 16) if "(" in literal else 0
    return bits | quiet | payload


def _value_of_bits(bits: int, fmt: FloatFormat) -> Fraction | None:
    """Returns the value of non-negative `bits`; None for infinity."""
    if bits >= fmt.infinity:
        return None
    field = bits >> fmt.mantissa
    significand = (bits & ((1 << fmt.mantissa) - 1)) | (1 << fmt.mantissa if field else 0)
    return significand * Fraction(2) ** (max(field, 1) - 1 + fmt.min_exponent - fmt.mantissa)


def _widen_to_double(bits: int) -> int:
    """Returns a `float` as the bits of a `double`, LLVM 22's form; a NaN's payload moves up by 29 bits."""
    if bits & 0x7F800000 == 0x7F800000:
        return (bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29
    (value,) = struct.unpack("<f", struct.pack("<I", bits))
    (wide,) = struct.unpack("<Q", struct.pack("<d", value))
    return wide


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
    """Returns `text` in LLVM 22's syntax; with `own_runtime` OpenMP's entry points `__kmpc_*` become
    `mlc_kmpc_*`.

    Idempotent: text that LLVM 22 printed is unchanged.
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
    """Returns `text` with its target lines replaced."""
    head = f'target datalayout = "{data_layout}"\ntarget triple = "{triple}"\n'
    return head + _TARGET_LINE.sub("", text)


def add_definition_attributes(text: str, attributes: dict[str, str], plain: str = "") -> str:
    """Returns `text` with string `attributes`, and LLVM's attributes in `plain`, on every function
    definition; attributes that a function has stay."""
    if not (attributes or plain):
        return text
    group = max((int(group) for group in _ATTRIBUTE_GROUP.findall(text)), default=-1) + 1
    body = " ".join([plain, *(f'"{name}"="{value}"' for name, value in attributes.items())])
    lines = (_add_group(line, group) if line.startswith("define ") else line for line in text.split("\n"))
    return "\n".join(lines) + f"\nattributes #{group} = {{ {body} }}\n"


def _add_group(line: str, group: int) -> str:
    """Inserts attribute group `group` into a `define` line, before the function's, which take precedence."""
    end = _AFTER_PARAMETERS.match(line, _parameters_end(line))
    assert end is not None  # the pattern matches the empty string
    return f"{line[: end.end()]} #{group}{line[end.end() :]}"


def _parameters_end(line: str) -> int:
    """Returns the position after the parenthesis that closes the parameter list of a `define` line."""
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
    """Returns the declared `llvm.*` functions that this LLVM does not know; its printer marks them."""
    return [
        function.name
        for function in functions
        if function.is_declaration
        and function.name.startswith("llvm.")
        and str(function).lstrip().startswith("; Unknown intrinsic")
    ]
