"""The option `--specialise`, and the report on specialised programs after a run."""

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
    """Returns the policy of --specialise, which may be repeated: auto, off, or sizes of all dims,
    batch=1,seq=128. Raises click.UsageError."""
    from mlc.runtime import Specialise

    automatic = "auto" in texts
    sizes = [_sizes(text) for text in texts if text not in ("auto", "off")]
    if "off" in texts and len(texts) > 1:
        raise click.UsageError("--specialise=off leaves nothing for the others to ask for")
    return Specialise(sizes=sizes, automatic=automatic) if automatic or sizes else None


def _sizes(text: str) -> dict[str, int]:
    parted = [size.rpartition("=") for size in text.split(",")]
    if not all(name and size.isdecimal() for name, _, size in parted):
        raise click.UsageError(
            f"--specialise={text}: expected auto, off or NAME=N,..., e.g. --specialise batch=1,seq=128"
        )
    return {name: int(size) for name, _, size in parted}


def settle(executable: Executable, call: Callable[[], object]) -> None:
    """Calls until the program for the sizes of `call` is compiled or has failed."""
    own = executable.specialised
    if own is not None and own.report()["automatic"]:
        for _ in range(own.policy.after):
            call()
        own.wait()


def show_specialised(console: Console, report: Mapping[str, Any]) -> None:
    """Prints the table of an executable's report: sizes, and the programs that run for them."""
    if not (own := report.get("specialised")):
        return
    console.print(
        table(("sizes", ">calls", ">specialised", "runs", "made", ">takes"), map(_row, own["sizes"]))
    )
    for entry in own["sizes"]:
        if "failure" in entry:
            console.print(f"{format_sizes(entry['sizes'])}: {entry['failure']}", soft_wrap=True)


def _row(entry: Mapping[str, Any]) -> list[str]:
    made = ""
    if "compiled" in entry:
        how = "from the cache" if entry["from_cache"] else f"in {duration(entry['seconds'])}"
        made = f"{entry['compiled']}, {how}"
    elif "ahead_of_time" in entry:
        made = "ahead of time"
    elif entry["state"] in ("compiling", "failed"):
        made = entry["state"]
    calls = [str(entry["calls"]), str(entry["own_calls"])]
    takes = byte_size(entry["bytes"]) if "bytes" in entry and entry["state"] == "own" else ""
    return [format_sizes(entry["sizes"]), *calls, _RAN[entry["state"]], made, takes]


def format_sizes(sizes: Mapping[str, int]) -> str:
    """Returns sizes as text: "batch=1, seq=128"."""
    return ", ".join(f"{name}={size}" for name, size in sizes.items())
