"""The processors and GPUs known by name, and the resolution of names and texts to targets."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from mlc.targets.base import Target, TargetError, parse_fields
from mlc.targets.gpus import GPUS
from mlc.targets.processors import GENERIC, PROCESSORS

NAMED: dict[str, Target] = {target.name: target for target in (*PROCESSORS, *GPUS)}
# Targets of plugins, described on first use.
_REGISTERED: dict[str, Callable[[], Target]] = {}


def register_target(name: str, describe: Callable[[], Target]) -> None:
    """Adds a target under `name` (for plugins); `describe` returns its description, which has the same name.

    Raises `ValueError` if the name is taken.
    """
    if name in NAMED or _REGISTERED.setdefault(name, describe) is not describe:
        raise ValueError(f"target '{name}' is already registered")


def registered_targets() -> list[str]:
    """Returns the names that plugins have registered."""
    return list(_REGISTERED)


def lookup(name: str) -> Target | None:
    """Returns the named description, or None."""
    return _REGISTERED[name]() if name in _REGISTERED else NAMED.get(name)


def suggestion(name: str, *others: str) -> str:
    """Returns a hint with the known names that resemble an unknown one; if none, with all and `others`."""
    known = ["host", *NAMED, *_REGISTERED]
    longer = [candidate for candidate in known if name and candidate.startswith(name)]
    close = longer or difflib.get_close_matches(name, known, n=3)
    if close:
        return f"; did you mean {' or '.join(map(repr, close))}?"
    return f"; known are {', '.join([*known, *others])}"


def generic(triple: str) -> Target:
    """Returns the description of processors of `triple` that have no other."""
    return GENERIC.get(triple.partition("-")[0], Target(name=triple, triple=triple, cpu=""))


def parse_target(text: str, describe: Callable[[str], Target] | None = None) -> Target:
    """Returns a target from "host", a known name, or the text form
    ("cpu=znver4,features=+avx512bf16,cores=8").

    In the text form missing fields are those of the description of `cpu`, or of `name`. `describe` returns
    the description of a processor name that has none here. Raises TargetError naming the known names."""
    if text in ("host", "native", "cpu"):
        return Target.host()
    if "=" in text:
        return parse_fields(text, _base_of(text, describe))
    known = lookup(text) or (describe(text) if describe else None)
    if known is None:
        raise TargetError(f"unknown target {text!r}{suggestion(text)}")
    return known


def _base_of(text: str, describe: Callable[[str], Target] | None) -> Target:
    """Returns the target whose fields `text` overrides."""
    given = dict(item.strip().partition("=")[::2] for item in text.split(","))
    name = given.get("name", "x86-64")
    cpu = given.get("cpu") or name
    # LLVM's name of a GPU is not the target's.
    known = lookup(cpu) or (named if (named := lookup(name)) and named.cpu == cpu else None)
    if known or describe is None or "vector-bits" in given:
        return known or Target(name=cpu, cpu=cpu)
    return describe(cpu)
