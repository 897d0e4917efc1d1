"""--specialise, and what a run says of programs for single sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from mlc.tools.mlc.text_tables import byte_size, duration, table

if TYPE_CHECKING:
    from rich.console import Console

    from mlc.runtime import Executable, Specialise

_RAN = {"general": "general", "compiling": "general", "failed": "general", "own": "its own"}


def parse_specialise(texts: Sequence[str]) -> Specialise | None:
    """The policy of --specialise, which may be repeated: auto, off, or sizes of all dims, batch=1,seq=128.
    Raises click.UsageError."""
    from mlc.runtime import Specialise

    automatic = "auto" in texts
    sizes = [_sizes(text) for text in texts if text not in ("auto", "off")]
    if "off" in texts and len(texts) > 1:
        raise click.UsageError("--specialise=off leaves nothing for the others to ask for")
    return Specialise(sizes=sizes, automatic=automatic) if automatic or sizes else None


def _sizes(text: str) -> dict[str, int]:
    parted = [each.rpartition("=") for each in text.split(",")]
    if not all(name and size.isdecimal() for name, _, size in parted):
        raise click.UsageError(
            f"--specialise={text}: expected auto, off or NAME=N,..., e.g. --specialise batch=1,seq=128"
        )
    return {name: int(size) for name, _, size in parted}


def settle(executable: Executable, call: Callable[[], object]) -> None:
    """Calls until the program for the sizes of `call` is there, or will not be."""
    own = executable.specialised
    if own is not None and own.report()["automatic"]:
        for _ in range(own.policy.after):
            call()
        own.wait()


def show_specialised(console: Console, report: Mapping[str, Any]) -> None:
    """The table of an executable's report: sizes, and which program runs for them."""
    if not (own := report.get("specialised")):
        return
    console.print(
        table(("sizes", ">calls", ">of its own", "runs", "made", ">takes"), map(_row, own["sizes"]))
    )
    for each in own["sizes"]:
        if "failure" in each:
            console.print(f"{named(each['sizes'])}: {each['failure']}", soft_wrap=True)


def _row(each: Mapping[str, Any]) -> list[str]:
    made = ""
    if "compiled" in each:
        how = "from the cache" if each["from_cache"] else f"in {duration(each['seconds'])}"
        made = f"{each['compiled']}, {how}"
    elif "ahead_of_time" in each:
        made = "ahead of time"
    elif each["state"] in ("compiling", "failed"):
        made = each["state"]
    calls = [str(each["calls"]), str(each["own_calls"])]
    takes = byte_size(each["bytes"]) if "bytes" in each and each["state"] == "own" else ""
    return [named(each["sizes"]), *calls, _RAN[each["state"]], made, takes]


def named(sizes: Mapping[str, int]) -> str:
    """batch=1, seq=128"""
    return ", ".join(f"{name}={size}" for name, size in sizes.items())
