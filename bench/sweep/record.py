"""The record of the sweep: a line of JSON for each cell, by seed and index."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench.models.store import write

PATH = Path(__file__).with_name("record.jsonl")
Entry = dict[str, Any]


def read(path: Path = PATH) -> list[Entry]:
    """Returns the recorded cells: "seed", "index", "family", "name", "open", "threads", "processor" and
    "engines", what `bench.zoo.timing.time_subject` returns."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def store(entries: Iterable[Entry], path: Path = PATH) -> None:
    """Writes the record; an entry replaces those before it of the same cell and threads."""
    found = {(entry["seed"], entry["index"], entry["threads"]): entry for entry in entries}
    text = "".join(f"{json.dumps(found[key])}\n" for key in sorted(found))
    write(path, lambda temporary: temporary.write_text(text))
