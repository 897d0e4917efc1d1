"""Accesses to global memory that code can reach before it has waited for the kernels before (`ACQBULK`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

WAIT = "ACQBULK"
# Loads and stores, atomics, asynchronous copies, and TMA.
ACCESSES = frozenset("LD LDG ST STG LDGSTS ATOM ATOMG RED UTMALDG UTMASTG UTMAREDG UBLKCP UBLKRED".split())
# Instructions that do not continue with the next one, unless they have a predicate.
ENDS = frozenset({"EXIT", "RET", "BRA"})
_INSTRUCTION = re.compile(r"/\*[0-9a-f]+\*/\s+(@!?U?P\d\s+)?([A-Z0-9_]+)[.\w]*\s*(.*);")
_LABEL, _TARGET = re.compile(r"^(\.L_x_\d+|\.text\.\w+):"), re.compile(r"`\((\.L_x_\d+)\)")


def early_accesses(listing: str) -> list[str]:
    """Lines of NVIDIA's disassembly with such accesses, on some path through its kernels."""
    lines = listing.splitlines()
    labels = {match[1]: at for at, line in enumerate(lines) if (match := _LABEL.match(line))}
    waiting = [(at, False) for name, at in labels.items() if name.startswith(".text.")]
    seen, found = set(waiting), set()
    while waiting:
        at, waited = waiting.pop()
        match = _INSTRUCTION.search(lines[at])
        if match and match[2] in ACCESSES and not waited:
            found.add(lines[at])
        for state in _next(at, waited, match, labels):
            if state not in seen and state[0] < len(lines):
                seen.add(state)
                waiting.append(state)
    return sorted(found)


def _next(
    at: int, waited: bool, match: re.Match[str] | None, labels: dict[str, int]
) -> Iterator[tuple[int, bool]]:
    """Yields the next lines, and whether threads have waited there. Called functions touch no memory."""
    if match is None:
        yield at + 1, waited
        return
    predicate, name, operands = match.groups()
    if name == "BRA" and (target := _TARGET.search(operands)):
        yield labels[target[1]], waited
    if predicate or name not in ENDS:
        yield at + 1, waited or (name == WAIT and not predicate)
