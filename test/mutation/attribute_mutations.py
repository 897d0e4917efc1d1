"""Mutations of attributes of ops, in the generic form, which prints them at the same position of every op."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

# `"dialect.op"(operands) <{properties}> ({regions}) {attributes} : type`
_OPENING = re.compile(r'"[\w.]+"\([^()]*\)(?:\[[^\]]*\])? <\{|[)\]] \{(?=[\w".]+(?: =|[,}]))')
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
# fmt: off
_VALUES = (
    "unit", "true", "0 : i64", "-1 : i64", "9223372036854775807 : i64", "1 : i1", "7 : index", "1.5 : f32",
    "0xFF800000 : f32", "0x7E00 : f16", '"text"', '""', '"\\00\\FF"', "@symbol", "@a::@b", "[]",
    "[1, \"a\", [2.0 : f32]]", "{}", "{a = 1 : i32}", "i32", "tensor<4xf32>", "() -> ()",
    "(tensor<*xf32>) -> i1", "array<i64>", "array<i64: 0>", "array<i64: -1, 9223372036854775807>",
    "array<i32: 1, 2, 3>", "array<i1: true>", "array<f64: 1.0>", "dense<0> : tensor<1xi64>",
    "dense<> : tensor<0xf32>", "dense<1.0> : tensor<1000000x1000xf32>",
    "dense<[[1, 2], [3, 4]]> : vector<2x2xi8>", "sparse<[[0]], [1.0]> : tensor<2xf32>",
    "dense_resource<none> : tensor<2xf32>", "affine_map<(d0, d1) -> (d1, d0)>", "affine_map<() -> ()>",
    "affine_map<(d0)[s0] -> (d0 floordiv s0)>", "affine_set<(d0) : (d0 >= 0)>", "loc(unknown)",
    "#arith.fastmath<fast>", "#llvm.linkage<external>", "#builtin.int<3>", "strided<[1], offset: ?>",
)
# fmt: on


@dataclass(frozen=True)
class Entry:
    """One `name = value` of a dictionary, by its position in the text."""

    start: int
    end: int
    name: str


def entries_of(text: str) -> list[list[Entry]]:
    """The entries of each dictionary of attributes in `text`, which is generic IR."""
    return [found for opening in _OPENING.finditer(text) if (found := _entries(text, opening.end()))]


def mutate_attributes(random: Random, generic: str) -> str:
    """`generic` with one to three attributes removed, renamed, repeated, or of another value or op."""
    for _ in range(random.choice((1, 1, 2, 3))):
        dictionaries = entries_of(generic)
        if dictionaries:
            generic = _mutate_one(random, generic, dictionaries)
    return generic


def _mutate_one(random: Random, text: str, dictionaries: list[list[Entry]]) -> str:
    entry = random.choice(random.choice(dictionaries))
    what = random.choice(
        ("value", "value", "value", "foreign", "foreign", "remove", "rename", "add", "twice")
    )
    old = text[entry.start : entry.end]
    if what == "value":
        new = f"{entry.name} = {random.choice(_VALUES)}"
    elif what == "foreign":
        other = random.choice(random.choice(dictionaries))
        new = entry.name + text[other.start : other.end].removeprefix(other.name)
    elif what == "remove":
        return _without(text, entry)
    elif what == "rename":
        new = random.choice(("sym_name", "value", "no_such", "graph.x", entry.name + "_")) + old.removeprefix(
            entry.name
        )
    else:
        name = (
            entry.name
            if what == "twice"
            else random.choice(("added", "llvm.emit_c_interface", "tloop.kernel"))
        )
        new = f"{old}, {name} = {random.choice(_VALUES)}"
    return text[: entry.start] + new + text[entry.end :]


def _without(text: str, entry: Entry) -> str:
    """Takes the comma before or after along."""
    if text[entry.end : entry.end + 2] == ", ":
        return text[: entry.start] + text[entry.end + 2 :]
    return text[: entry.start].removesuffix(", ") + text[entry.end :]


def _entries(text: str, at: int) -> list[Entry]:
    """The entries from `at`, just after a `{`, up to the `}` that closes it."""
    found, start, stack = [], at, []
    while at < len(text):
        character = text[at]
        if character == '"':
            at = _end_of_string(text, at)
            continue
        if character in _CLOSING:
            stack.append(_CLOSING[character])
        elif stack and character == stack[-1]:
            stack.pop()
        elif not stack and character in ",}":
            if text[start:at].strip():
                found.append(_entry(text, start, at))
            if character == "}":
                return found
            start = at + 1
        at += 1
    return []


def _entry(text: str, start: int, end: int) -> Entry:
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return Entry(start, end, text[start:end].partition(" = ")[0].strip())


def _end_of_string(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1
