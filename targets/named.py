"""The processors known by name, and the resolution of names and texts to targets."""

from __future__ import annotations

from collections.abc import Callable

from mlc.targets.base import KIB, MIB, Target, TargetError, parse_fields


def _x86(name: str, bits: int, l1d: int, l2: int, l3: int) -> Target:
    """An x86-64 processor under LLVM's name; every one with 256-bit or wider vectors here has FMA."""
    return Target(
        name=name, cpu=name, vector_bits=bits, fma=bits >= 256, l1d=l1d * KIB, l2=l2 * KIB, l3=l3 * MIB
    )


# Cache sizes: L1 data and L2 in KiB per core, L3 in MiB of a common server or desktop part.
_KNOWN = (
    _x86("x86-64", 128, 32, 256, 8),
    _x86("x86-64-v2", 128, 32, 256, 8),
    _x86("x86-64-v3", 256, 32, 256, 8),
    _x86("x86-64-v4", 512, 32, 1024, 16),
    _x86("haswell", 256, 32, 256, 8),
    _x86("broadwell", 256, 32, 256, 8),
    _x86("skylake", 256, 32, 256, 8),
    _x86("skylake-avx512", 512, 32, 1024, 22),
    _x86("cascadelake", 512, 32, 1024, 22),
    _x86("cooperlake", 512, 32, 1024, 22),
    _x86("icelake-server", 512, 48, 1280, 36),
    _x86("sapphirerapids", 512, 48, 2048, 60),
    _x86("emeraldrapids", 512, 48, 2048, 120),
    _x86("graniterapids", 512, 48, 2048, 160),
    _x86("alderlake", 256, 48, 1280, 24),
    _x86("znver1", 256, 32, 512, 8),
    _x86("znver2", 256, 32, 512, 16),
    _x86("znver3", 256, 32, 512, 32),
    _x86("znver4", 512, 32, 1024, 32),
    _x86("znver5", 512, 48, 1024, 32),
)

NAMED: dict[str, Target] = {target.name: target for target in _KNOWN}


def lookup(name: str) -> Target | None:
    """The named description, or None."""
    return NAMED.get(name)


def parse_target(text: str, describe: Callable[[str], Target] | None = None) -> Target:
    """A target from "host", a known name, or the text form ("cpu=znver4,features=+avx512bf16,cores=8").

    In the text form the fields left out are those of the description of `cpu`. `describe` gives the
    description of a processor name that has none here. Raises TargetError naming what is known.
    """
    if text in ("host", "native", "cpu"):
        return Target.host()
    if "=" in text:
        return parse_fields(text, _base_of(text, describe))
    known = lookup(text) or (describe(text) if describe else None)
    if known is None:
        raise TargetError(f"unknown target {text!r}; known are host, {', '.join(NAMED)}")
    return known


def _base_of(text: str, describe: Callable[[str], Target] | None) -> Target:
    """What the fields that `text` leaves out are taken from."""
    given = dict(item.strip().partition("=")[::2] for item in text.split(","))
    cpu = given.get("cpu", "x86-64")
    if lookup(cpu) or describe is None or "vector-bits" in given:
        return lookup(cpu) or Target(name=cpu, cpu=cpu)
    return describe(cpu)
