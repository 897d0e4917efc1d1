"""The page docs/zoo.md, from the record and the list of trained models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from bench.tables import table
from bench.zoo import record
from bench.zoo.outcome import PROGRAMS, STATUSES
from bench.zoo.record import Entry
from bench.zoo.timing import over_peers
from bench.zoo.trained import TrainedModel, trained_models

# A model that takes longer than this part of the faster peer's time counts as slower.
SLOWER = 1.05

PAGE = Path(__file__).parents[2] / "docs" / "zoo.md"

_HEAD = """# The zoo

Models as people deploy them: trained ones out of packages on PyPI, and architectures that PyTorch and other
packages export. Each is compiled once with its dims open (the general program) and called at several sizes,
and compiled for each of the sizes (the fixed programs); every output is compared with ONNX Runtime's.
`python -m bench.zoo page` writes this page from the record, `bench/zoo/record.json`;
[bench/zoo](../bench/zoo/README.md) describes the commands.

The error is the largest max|a-b| / max|b| of all outputs and sizes. A ratio is the latency over that of ONNX
Runtime, the median over the rounds of the recorded run; below 1 is faster. "-": not measured. Means are
geometric. The recorded run had one core to itself, while the other one worked on something else.
"""
_COSTS = """## What checks cost

The latency of a call with checked indices over the one without ("-": nothing to check), and the time to load
a compiled file and to call it once, without and with `verify=True`. `python -m bench.zoo costs --one`.
"""
_SPEED = (
    "programs",
    "timed",
    "mean / ONNX Runtime",
    "mean / faster of it and OpenVINO",
    f"over {SLOWER} of that",
)
_COLUMNS = ("model", "licence", "sizes", "general", "fixed", "error", "general / fixed ratio")


def page(path: Path = record.PATH) -> str:
    """Returns the text of the page."""
    models = record.read(path)
    if not models:
        return f"{_HEAD}\nNo run is recorded yet.\n"
    trained = {entry.model.name: entry for entry in trained_models()}
    sections = [_HEAD, _summary(models)]
    for group, names in groupby(sorted(models), lambda name: name.partition("/")[0]):
        sections.append(_group(group, [*names], models, trained))
    sections += [_failures(models), _costs(models)]
    return "\n".join(sections).rstrip("\n") + "\n"


def _summary(models: Mapping[str, Entry]) -> str:
    rows = []
    for program in PROGRAMS:
        statuses = Counter(record.status_of(_calls(entry, program)) for entry in models.values())
        statuses.pop("", None)
        rows.append([program, str(statuses.total()), *(str(statuses[status]) for status in STATUSES)])
    return table(["programs", "models", *STATUSES], rows) + "\n\n" + _speed(models)


def _speed(models: Mapping[str, Entry]) -> str:
    """A table of the timings of all models."""
    timings = [timing["engines"] for entry in models.values() for timing in entry.get("timings", ())]
    rows = []
    for program, engine in zip(PROGRAMS, ("mlc", "mlc_fixed"), strict=True):
        ratios = [over_peers(engines, engine) for engines in timings]
        found = [ratio for ratio in ratios if ratio is not None]
        if found:
            first, fastest = ([pair[index] for pair in found] for index in (0, 1))
            slower = sum(ratio > SLOWER for ratio in fastest)
            means = (f"{geometric_mean(values):.2f}" for values in (first, fastest))
            rows.append([program, str(len(found)), *means, str(slower)])
    return f"{table(_SPEED, rows)}\n" if rows else ""


def _group(
    group: str, names: Sequence[str], models: Mapping[str, Entry], trained: Mapping[str, TrainedModel]
) -> str:
    package = next((trained[name] for name in names if name in trained), None)
    title = group if package is None else f"{package.package} {package.version}"
    rows = [_row(name, models[name], trained.get(name)) for name in names]
    return f"## {title}\n\n{table(_COLUMNS, rows)}\n"


def _row(name: str, entry: Entry, trained: TrainedModel | None) -> list[str]:
    calls = entry.get("calls", ())
    errors = [call["error"] for call in calls if "error" in call]
    sizes = {record.describe_sizes(call["sizes"]) for call in calls}
    statuses = [record.status_of(_calls(entry, program)) or "-" for program in PROGRAMS]
    return [
        name.partition("/")[2],
        trained.model.licence if trained else "",
        str(len(sizes)),
        *statuses,
        f"{max(errors):.0e}" if errors else "-",
        _ratios(entry.get("timings", ())),
    ]


def _ratios(timings: Sequence[dict[str, Any]]) -> str:
    shown = []
    for timing in timings:
        values = [timing["engines"].get(engine, {}).get("ratio") for engine in ("mlc", "mlc_fixed")]
        shown.append(" / ".join("-" if value is None else f"{value:.2f}" for value in values))
    return "; ".join(shown) or "-"


def _failures(models: Mapping[str, Entry]) -> str:
    lines = []
    for name, entry in sorted(models.items()):
        reasons: dict[tuple[str, str, str], list[str]] = {}
        for call in entry.get("calls", ()):
            if call["status"] != "ok":
                key = (call["program"], call["status"], call.get("reason", ""))
                reasons.setdefault(key, []).append(record.describe_sizes(call["sizes"]))
        lines += [
            f"- {name}, {program} ({', '.join(filter(None, sizes)) or 'its only size'}): {status}: `{reason}`"
            for (program, status, reason), sizes in reasons.items()
        ]
        if reasons and entry.get("note"):
            lines.append(f"  {entry['note']}")
    return "## What does not work\n\n" + ("\n".join(lines) or "Everything above works.") + "\n"


def _costs(models: Mapping[str, Entry]) -> str:
    rows = [
        [
            name,
            record.describe_sizes(costs["sizes"]),
            "-" if costs["index_checks"] is None else f"{costs['index_checks']:.3f}",
            f"{costs['file_mb']:g}",
            *(f"{costs['load_ms'][key]:.1f}" for key in ("unverified", "verified")),
        ]
        for name, entry in sorted(models.items())
        for costs in entry.get("costs", ())
    ]
    columns = ("model", "sizes", "checked / unchecked indices", "MB", "loaded, ms", "loaded and verified, ms")
    return f"{_COSTS}\n{table(columns, rows) if rows else 'Nothing is recorded yet.'}\n"


def _calls(entry: Entry, program: str) -> list[Entry]:
    return [call for call in entry.get("calls", ()) if call["program"] == program]
