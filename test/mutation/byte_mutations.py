"""Mutations of bytes, which know nothing of what the bytes mean."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

ByteMutation = Callable[[Random, bytes], bytes]

# fmt: off
_SPLINTERS = (
    b"\x00", b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r",
    b"99999999999999999999999999", b"-9223372036854775809", b"18446744073709551616", b"1e999999",
    b"0x"+b"f" * 64, b"(" * 300, b"<" * 300, b"{" * 300, b'"', b"\\", b"//", b"loc(", b"\xf0\x9f\x92\xa5",
    b"\x1b[31m",
)
# fmt: on


def flip(random: Random, data: bytes) -> bytes:
    """Some bits inverted."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 5, 20))):
        if changed:
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def insert(random: Random, data: bytes) -> bytes:
    """Something awkward put in somewhere."""
    at = random.randint(0, len(data))
    return data[:at] + random.choice(_SPLINTERS) + data[at:]


def delete(random: Random, data: bytes) -> bytes:
    """A stretch taken out."""
    start = random.randint(0, len(data))
    return data[:start] + data[start + random.choice((1, 2, 8, 64)) :]


def truncate(random: Random, data: bytes) -> bytes:
    """Only the head."""
    return data[: random.randint(0, len(data))]


def repeat(random: Random, data: bytes) -> bytes:
    """A stretch repeated twice, or fifty times."""
    start = random.randint(0, len(data))
    stretch = data[start : start + random.choice((4, 16, 200))]
    return data[:start] + stretch * random.choice((2, 50)) + data[start:]


def overwrite_integer(random: Random, data: bytes) -> bytes:
    """Four bytes replaced by an extreme integer: sizes and offsets of binary formats."""
    at = random.randint(0, max(0, len(data) - 4))
    value = random.choice((0, 1, 0x7F, 0x80, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF))
    return data[:at] + value.to_bytes(4, "little") + data[at + 4 :]


BYTE_MUTATIONS: tuple[ByteMutation, ...] = (flip, insert, delete, truncate, repeat, overwrite_integer)


def mutate_bytes(random: Random, data: bytes) -> bytes:
    """`data` after one to three mutations."""
    for _ in range(random.choice((1, 1, 2, 3))):
        data = random.choice(BYTE_MUTATIONS)(random, data)
    return data
