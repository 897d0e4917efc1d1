"""Tests of the report for a README: every engine against the fastest peer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bench import report, summary

ROOT = Path(__file__).parents[2]


def record(model: str, engine: str, *medians: float, threads: int = 1) -> dict[str, Any]:
    rounds = [{"median_ms": median, "min_ms": median, "other_cores": 0.0} for median in medians]
    return {
        "model": model,
        "engine": engine,
        "threads": threads,
        "rounds": rounds,
        "latency": summary.latency(rounds),
    }


RECORDS = [
    record("a", "fast", 1.0, 1.0),
    record("a", "slow", 4.0, 4.0),
    record("a", "mlc", 0.5, 0.5),
    record("b", "fast", 2.0, 2.0),
    {"model": "b", "engine": "slow", "threads": 1, "error": "no"},
    record("b", "mlc", 4.0, 4.0),
    record("c", "slow", 3.0, 3.0),
    record("c", "mlc", 3.03, 3.03),
]


def test_every_engine_stands_against_the_fastest_peer() -> None:
    lines = report.overview(RECORDS).splitlines()
    assert lines[0] == "### Latency over the fastest peer's, 1 thread"
    assert "| model | fast | slow | mlc |" in lines
    assert "| a | 1.00 | 4.00 | **0.50** |" in lines
    assert "| b | 1.00 | failed | 2.00 |" in lines
    assert "| c |  | 1.00 | **1.01** |" in lines
    assert "| geometric mean | 1.00 | 2.00 | 1.00 |" in lines
    assert lines[-1].startswith("mlc against the fastest peer of each model: 1 faster, 1 tie, 1 slower")


def test_what_no_peer_ran_has_no_ratio() -> None:
    assert summary.over_fastest([record("a", "mlc", 1.0)]) == []
    assert report.overview([record("a", "mlc", 1.0)]) == ""


def test_a_later_run_replaces_all_engines_of_a_model() -> None:
    # They were not interleaved with those of the earlier run.
    later = {"records": [record("a", "mlc", 9.0)]}
    merged = report.merge([{"records": RECORDS}, later])
    assert [entry["engine"] for entry in merged if entry["model"] == "a"] == ["mlc"]
    assert len(merged) == len(RECORDS) - 2


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "bench.report", *map(str, arguments)]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_writes_the_table(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    results.write_text(json.dumps({"records": RECORDS}))
    assert command(results, "--markdown").stdout == report.overview(RECORDS) + "\n"
    command(results, "--markdown", tmp_path / "table.md")
    assert (tmp_path / "table.md").read_text() == report.overview(RECORDS) + "\n"
    (tmp_path / "broken.json").write_text("{}")
    done = command(tmp_path / "broken.json", "--markdown")
    assert (done.returncode, done.stderr) == (2, "report: KeyError: 'records'\n")


def test_the_picture_is_self_contained_and_always_the_same(tmp_path: Path) -> None:
    plot = pytest.importorskip("bench.plot", exc_type=ImportError)
    records = [*RECORDS, record("a", "fast", 1.0, threads=2), record("a", "mlc", 30.0, threads=2)]
    for name in ("one.svg", "two.svg"):
        plot.save(records, tmp_path / name)
    text = (tmp_path / "one.svg").read_text()
    assert text == (tmp_path / "two.svg").read_text()
    root = ElementTree.fromstring(text)
    with pytest.raises(ValueError, match="no peer"):
        plot.save(RECORDS[2:3], tmp_path / "none.svg")
    # Letters are paths, and nothing is fetched.
    assert root.tag.endswith("svg") and not list(root.iter("{http://www.w3.org/2000/svg}text"))
    links = [element.get("{http://www.w3.org/1999/xlink}href") for element in root.iter()]
    assert all(link is None or link.startswith("#") for link in links)
