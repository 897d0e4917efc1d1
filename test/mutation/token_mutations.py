"""Mutations of tokens: the text stays nearly IR, so that it gets past the lexer and often past the parser."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from random import Random

from mutation_seeds import seeds

Tokens = list[str]
TokenMutation = Callable[[Random, Tokens], None]

TOKEN = re.compile(
    r"""//[^\n]*|"(?:\\.|[^"\\\n])*"|[%@^#!][\w.$:-]*|->|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[A-Za-z_][\w.$]*|\s+|.""",
    re.VERBOSE | re.DOTALL,
)
TYPE = re.compile(
    r"\b(?:tensor|memref|vector|complex)<[^<>]*(?:<[^<>]*>[^<>]*)*>|\b(?:index|none|[su]?i\d+|b?f\d+)\b"
)
_DIM = re.compile(r"(?<=[<x])(\d+|\?)(?=x)")
_LITERAL = re.compile(r"(?<![\w%@^.])-?\d+(?:\.\d+)?\b")
# fmt: off
_LITERALS = (
    "0", "-1", "1", "2147483648", "9223372036854775807", "-9223372036854775808", "1e400", "0.5",
    "99999999999999999999", "0xFF",
)
# fmt: on
_DIMS = ("0", "-1", "?", "1", "9223372036854775807", "4294967296", "99999999999999999999", "[4]", "*", "3")
# fmt: off
_TYPES = (
    "i1", "i0", "i16777215", "i16777216", "si8", "ui64", "f16", "bf16", "f128", "f80", "tf32", "f8E4M3FN",
    "f4E2M1FN", "index", "none", "complex<f32>", "tensor<*xf32>", "memref<*xi8>", "vector<[4]xf32>",
    "tensor<0xf32>", "tensor<?x?xf32>", "memref<?xf32, strided<[?], offset: ?>>", "memref<4xf32, 3>",
    "tensor<4x!quant.uniform<i8:f32, 1.0>>", "tuple<i32, f32>", "!llvm.ptr", "!llvm.void",
    "!llvm.struct<(i32, ptr)>", "!transform.any_op", "(i32) -> i32", "vector<2x[4]x3xi1>",
    "tensor<2xindex>",
)
# fmt: on


def swap(random: Random, tokens: Tokens) -> None:
    """Two tokens swapped."""
    one, other = _position(random, tokens), _position(random, tokens)
    tokens[one], tokens[other] = tokens[other], tokens[one]


def duplicate(random: Random, tokens: Tokens) -> None:
    """A run of tokens repeated."""
    at = _position(random, tokens)
    tokens[at:at] = tokens[at : at + random.choice((1, 3, 10, 40))]


def drop(random: Random, tokens: Tokens) -> None:
    """A run of tokens left out."""
    at = _position(random, tokens)
    del tokens[at : at + random.choice((1, 1, 2, 6))]


def exchange(random: Random, tokens: Tokens) -> None:
    """A token replaced by one of another file, with the same first character more often than not."""
    at = _position(random, tokens)
    first = tokens[at][:1]
    pool = [token for token in vocabulary() if token[:1] == first] if random.random() < 0.7 else []
    tokens[at] = random.choice(pool or vocabulary())


def reuse(random: Random, tokens: Tokens) -> None:
    """A value, symbol or block replaced by another one of the same text: uses before definitions, cycles."""
    sigil = random.choice("%%%@^")
    positions = [at for at, token in enumerate(tokens) if token.startswith(sigil)]
    if positions:
        tokens[random.choice(positions)] = tokens[random.choice(positions)]


def drop_line(random: Random, tokens: Tokens) -> None:
    """A line left out, or moved to another position."""
    breaks = [at for at, token in enumerate(tokens) if "\n" in token]
    if len(breaks) < 3:
        return
    first = random.randrange(len(breaks) - 1)
    line = tokens[breaks[first] : breaks[first + 1]]
    del tokens[breaks[first] : breaks[first + 1]]
    if random.random() < 0.5:
        at = _position(random, tokens)
        tokens[at:at] = line


def change_type(random: Random, tokens: Tokens) -> None:
    """One type, or all that are equal to it, replaced by another."""
    _substitute(random, tokens, TYPE, (*_TYPES, *types_of_seeds()))


def change_dim(random: Random, tokens: Tokens) -> None:
    """A dim of a shaped type replaced by zero, a negative, huge or dynamic one."""
    _substitute(random, tokens, _DIM, _DIMS)


def change_literal(random: Random, tokens: Tokens) -> None:
    """A literal replaced by an extreme one."""
    _substitute(random, tokens, _LITERAL, _LITERALS)


# fmt: off
TOKEN_MUTATIONS: tuple[TokenMutation, ...] = (
    swap, duplicate, drop, exchange, reuse, drop_line, change_type, change_type, change_dim, change_dim,
    change_literal,
)
# fmt: on


def mutate_tokens(random: Random, text: str) -> str:
    """`text` after one to three mutations."""
    tokens = TOKEN.findall(text)
    for _ in range(random.choice((1, 1, 2, 3))):
        if tokens:
            random.choice(TOKEN_MUTATIONS)(random, tokens)
    return "".join(tokens)


@cache
def vocabulary() -> tuple[str, ...]:
    """The tokens of all seeds, each once, sorted, since sets have no order."""
    found = {token for seed in seeds() for token in TOKEN.findall(seed.text)}
    return tuple(sorted(token for token in found if token.strip() and not token.startswith("//")))


@cache
def types_of_seeds() -> tuple[str, ...]:
    """The types of all seeds, each once, sorted."""
    return tuple(sorted({found for seed in seeds() for found in TYPE.findall(seed.text)}))


def _position(random: Random, tokens: Tokens) -> int:
    """The position of a token that is no space and no comment, if there is one within ten tries."""
    for _ in range(10):
        at = random.randrange(len(tokens)) if tokens else 0
        if tokens and tokens[at].strip() and not tokens[at].startswith("//"):
            return at
    return 0


def _substitute(random: Random, tokens: Tokens, what: re.Pattern[str], by: Sequence[str]) -> None:
    text = "".join(tokens)
    found = list(what.finditer(text))
    if not found:
        return
    chosen, new = random.choice(found), random.choice(by)
    if random.random() < 0.3:
        text = text.replace(chosen[0], new) if len(chosen[0]) > 1 else text
    else:
        text = text[: chosen.start()] + new + text[chosen.end() :]
    tokens[:] = TOKEN.findall(text)
