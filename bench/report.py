"""Makes the table and the picture of a benchmark for a README.

Every engine is compared with the fastest peer of each model, in a Markdown table and in a picture. Results of
several runs are merged.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.summary import TIE, Record, geometric_mean, is_own, over_fastest
from bench.tables import column, rows, thread_count, unique


def overview(records: Sequence[Record]) -> str:
    """Returns by thread count models by engines, latency over that of the fastest peer; geometric means."""
    entries = over_fastest(records)
    return "\n\n".join(_overview(records, entries, threads) for threads in unique(entries, "threads"))


def _overview(records: Sequence[Record], entries: Sequence[Record], threads: int) -> str:
    cells = [record for record in records if record["threads"] == threads]
    found = [entry for entry in entries if entry["threads"] == threads]
    failed = [record for record in cells if "error" in record]
    engines = unique(cells, "engine")
    columns = {engine: column([*found, *failed], engine, _emphasise) for engine in engines}
    means = (geometric_mean(e["median"] for e in found if e["engine"] == engine) for engine in engines)
    mean = (
        "| geometric mean | " + " | ".join("" if value is None else f"{value:.2f}" for value in means) + " |"
    )
    title = f"Latency over the fastest peer's, {thread_count(threads)}"
    verdicts = "\n".join(_verdicts(found, engine) for engine in engines if is_own(engine))
    return f"{rows(title, cells, columns)}\n{mean}\n\n{verdicts}"


def _emphasise(entry: Record) -> str:
    shown = f"{entry['median']:.2f}"
    return f"**{shown}**" if is_own(entry["engine"]) and entry["verdict"] != "slower" else shown


def _verdicts(entries: Sequence[Record], engine: str) -> str:
    own = [entry["verdict"] for entry in entries if entry["engine"] == engine]
    counts = ", ".join(f"{own.count(verdict)} {verdict}" for verdict in ("faster", "tie", "slower"))
    return f"{engine} against the fastest peer of each model: {counts} (bold: faster or within {TIE:.0%})."


def merge(results: Sequence[dict[str, Any]]) -> list[Record]:
    """Merges the records of several runs.

    Only interleaved engines are compared: a later run of a model with the same thread count replaces an
    earlier one.
    """
    groups: dict[tuple[str, int], list[Record]] = {}
    for run in results:
        found: dict[tuple[str, int], list[Record]] = {}
        for record in run["records"]:
            found.setdefault((record["model"], record["threads"]), []).append(record)
        groups |= found
    return [record for group in groups.values() for record in group]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.report", description=__doc__)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS.json")
    parser.add_argument("--markdown", nargs="?", const="-", metavar="FILE", help="default: print it")
    parser.add_argument("--svg", nargs="?", const="", metavar="FILE", help="default: beside the last results")
    return parser.parse_args()


def main() -> int:
    """Runs the command line; returns the exit status."""
    arguments = _arguments()
    try:
        records = merge([json.loads(path.read_text()) for path in arguments.results])
    except (OSError, ValueError, KeyError) as error:
        print(f"report: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    if arguments.markdown == "-":
        print(overview(records))
    elif arguments.markdown:
        Path(arguments.markdown).write_text(overview(records) + "\n")
    return 0 if arguments.svg is None else _draw(records, arguments)


def _draw(records: Sequence[Record], arguments: argparse.Namespace) -> int:
    try:
        from bench.plot import save

        save(records, Path(arguments.svg or arguments.results[-1].with_suffix(".svg")))
    except (ImportError, OSError, ValueError) as error:
        hint = "; pip install 'mlc-compiler[bench]'" if isinstance(error, ImportError) else ""
        print(f"report: {error}{hint}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
