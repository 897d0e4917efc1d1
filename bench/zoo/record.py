"""The record of the zoo: the outcome of every model, and the timings of the recorded run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.models.store import write
from bench.zoo.model import Sizes
from bench.zoo.outcome import STATUSES, CallOutcome, ModelOutcome

PATH = Path(__file__).with_name("record.json")
Entry = dict[str, Any]


def read(path: Path = PATH) -> dict[str, Entry]:
    """Returns the recorded models by name: "calls", the fields of `CallOutcome`; "timings" and
    "costs", what `time_model` and `measure_costs` return; the model's "note", if it has one."""
    return json.loads(path.read_text())["models"] if path.is_file() else {}


def store(models: Mapping[str, Entry], path: Path = PATH) -> None:
    """Writes the record, a line for each call and timing."""
    lines = [f"  {json.dumps(name)}: {_entry(entry)}" for name, entry in sorted(models.items())]
    text = '{"models": {\n' + ",\n".join(lines) + "\n}}\n"
    write(path, lambda temporary: temporary.write_text(text))


def _entry(entry: Entry) -> str:
    parts = [
        f'"{key}": [\n    ' + ",\n    ".join(map(json.dumps, entry[key])) + "\n  ]"
        for key in ("calls", "timings", "costs")
        if entry.get(key)
    ]
    if entry.get("note"):
        parts.append(f'"note": {json.dumps(entry["note"])}')
    return "{" + ", ".join(parts) + "}"


def with_outcomes(models: Mapping[str, Entry], outcomes: Iterable[ModelOutcome]) -> dict[str, Entry]:
    """Returns the record with new outcomes of some programs of some models in place of theirs."""
    merged = {name: dict(entry) for name, entry in models.items()}
    for outcome in outcomes:
        entry = merged.setdefault(outcome.name, {})
        programs = {call.program for call in outcome.calls}
        kept = [call for call in entry.get("calls", ()) if call["program"] not in programs]
        entry["calls"] = sorted(
            [*kept, *map(_call, outcome.calls)], key=lambda call: call["program"], reverse=True
        )
        if outcome.note:
            entry["note"] = outcome.note
    return merged


def _call(call: CallOutcome) -> Entry:
    fields = {key: value for key, value in asdict(call).items() if value not in (None, "")}
    if call.error is not None:
        fields["error"] = float(f"{call.error:.1e}")
    return fields


def store_measured(name: str, category: str, measured: Entry, path: Path = PATH) -> None:
    """Records what was measured of a call of a model, among its "timings" or "costs", in place of what the
    same call took on the same processor."""
    models = read(path)
    entry = models.setdefault(name, {})
    others = [other for other in entry.get(category, ()) if _call_key(other) != _call_key(measured)]
    entry[category] = [*others, measured]
    store(models, path)


def _call_key(measured: Entry) -> str:
    return json.dumps([measured["sizes"], measured["threads"], measured["processor"]], sort_keys=True)


def regressions(models: Mapping[str, Entry], outcomes: Iterable[ModelOutcome]) -> list[str]:
    """Returns a line for each call whose status is worse than the recorded one."""
    found = []
    for outcome in outcomes:
        recorded = {_key(call): call for call in models.get(outcome.name, {}).get("calls", ())}
        for call in map(_call, outcome.calls):
            before = recorded.get(_key(call))
            if before is not None and _rank(call) > _rank(before):
                where = describe_call(call)
                change = f"{before['status']} -> {call['status']}: {call.get('reason', '')}"
                found.append(f"{outcome.name}, {where}: {change}")
    return found


def describe_call(call: Entry) -> str:
    """Returns program and sizes: "general, batch=1 length=7"."""
    return ", ".join(filter(None, [call["program"], describe_sizes(call["sizes"])]))


def describe_sizes(sizes: Sizes) -> str:
    """Returns the sizes of a call: "batch=1 length=7"."""
    return " ".join(f"{name}={size}" for name, size in sizes.items())


def status_of(calls: Sequence[Entry]) -> str:
    """Returns the worst status of some calls; "" without any."""
    return max((call["status"] for call in calls), key=STATUSES.index, default="")


def _rank(call: Entry) -> int:
    return STATUSES.index(call["status"])


def _key(call: Entry) -> tuple[str, str]:
    return call["program"], json.dumps(call["sizes"], sort_keys=True)
