"""The processors and GPUs known by name, and the resolution of names and texts to targets."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from mlc.targets.base import Target, TargetError, parse_fields
from mlc.targets.gpus import GPUS
from mlc.targets.processors import GENERIC, PROCESSORS

NAMED: dict[str, Target] = {target.name: target for target in (*PROCESSORS, *GPUS)}
# Those of plugins, described when they are first asked for.
_REGISTERED: dict[str, Callable[[], Target]] = {}


def register_target(name: str, describe: Callable[[], Target]) -> None:
    """Adds a target under `name` (for plugins); `describe` gives its description, whose name is `name` too.

    Raises `ValueError` if the name is taken.
    """
    if name in NAMED or _REGISTERED.setdefault(name, describe) is not describe:
        raise ValueError(f"target '{name}' is already registered")


def registered_targets() -> list[str]:
    """The names that plugins have registered."""
    return list(_REGISTERED)


def lookup(name: str) -> Target | None:
    """The named description, or None."""
    return _REGISTERED[name]() if name in _REGISTERED else NAMED.get(name)


def suggestion(name: str, *others: str) -> str:
    """Which known names are like an unknown one; if none, all, and what `others` there are."""
    known = ["host", *NAMED, *_REGISTERED]
    longer = [each for each in known if name and each.startswith(name)]
    close = longer or difflib.get_close_matches(name, known, n=3)
    if close:
        return f"; did you mean {' or '.join(map(repr, close))}?"
    return f"; known are {', '.join([*known, *others])}"


def generic(triple: str) -> Target:
    """What is assumed of processors of `triple` that have no description."""
    return GENERIC.get(triple.partition("-")[0], Target(name=triple, triple=triple, cpu=""))


def parse_target(text: str, describe: Callable[[str], Target] | None = None) -> Target:
    """A target from "host", a known name, or the text form ("cpu=znver4,features=+avx512bf16,cores=8").

    In the text form the fields left out are those of the description of `cpu`, or of `name`. `describe`
    gives the description of a processor name that has none here. Raises TargetError naming what is known.
    """
    if text in ("host", "native", "cpu"):
        return Target.host()
    if "=" in text:
        return parse_fields(text, _base_of(text, describe))
    known = lookup(text) or (describe(text) if describe else None)
    if known is None:
        raise TargetError(f"unknown target {text!r}{suggestion(text)}")
    return known


def _base_of(text: str, describe: Callable[[str], Target] | None) -> Target:
    """What the fields that `text` leaves out are taken from."""
    given = dict(item.strip().partition("=")[::2] for item in text.split(","))
    name = given.get("name", "x86-64")
    cpu = given.get("cpu") or name
    # LLVM's name of a GPU is not ours.
    known = lookup(cpu) or (named if (named := lookup(name)) and named.cpu == cpu else None)
    if known or describe is None or "vector-bits" in given:
        return known or Target(name=cpu, cpu=cpu)
    return describe(cpu)
