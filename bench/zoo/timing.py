"""Times models of the zoo beside ONNX Runtime and OpenVINO, with the machinery of `bench.run`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import machine, summary
from bench.models.reference import session
from bench.run import RunSettings, Subject, run_subject
from bench.zoo.draw import draw
from bench.zoo.model import Model, Sizes

BASELINE = "onnxruntime"
# The general program, the one for the sizes of the call, and the peers.
ENGINES = ("mlc", "mlc_fixed", BASELINE, "openvino")
PEERS = (BASELINE, "openvino")


def time_model(
    model: Model, sizes: Sizes, folder: Path, threads: int, settings: RunSettings
) -> dict[str, Any]:
    """Measures the engines with one call of a model, interleaved.

    Returns:
        Its sizes and threads, the processor, and by engine: "ms", the median; "ratio", the median over the
        rounds of its latency over ONNX Runtime's; "ready_s" and "peak_mb" until the first call's end; or
        "error".
    """
    path = folder / model.file
    outputs = [output.name for output in session(path).get_outputs()]
    inputs = [draw(model, sizes, seed) for seed in range(settings.seeds)]
    subject = Subject(model.name, path, outputs, inputs)
    return {
        "sizes": dict(sizes),
        "threads": threads,
        "processor": machine.describe()["processor"],
        "engines": time_subject(subject, ENGINES, threads, settings),
    }


def time_subject(
    subject: Subject, engines: Sequence[str], threads: int, settings: RunSettings
) -> dict[str, dict[str, Any]]:
    """Measures the engines interleaved; returns the "engines" of `time_model`."""
    records = run_subject(subject, engines, [threads], settings)
    ratios = {entry["engine"]: entry["median"] for entry in summary.ratios(records, BASELINE)}
    return {record["engine"]: _engine(record, ratios, subject.path.parent) for record in records}


def _engine(record: dict[str, Any], ratios: dict[str, float], folder: Path) -> dict[str, Any]:
    if "error" in record:
        # Messages name the model, whose folder is one machine's.
        return {"error": record["error"].splitlines()[0].replace(f"{folder}/", "")[:200]}
    ratio = ratios.get(record["engine"], 1.0)
    ready = record["ready"]
    return {
        "ms": float(f"{record['latency']['median_ms']:.4g}"),
        "ratio": round(ratio, 3),
        "ready_s": round(ready["ready_s"], 2),
        "peak_mb": round(ready["peak_mb"]),
    }


def over_peers(engines: Mapping[str, Mapping[str, Any]], engine: str) -> tuple[float, float] | None:
    """Returns the latency over that of ONNX Runtime, and over the faster peer's; None where a program or all
    peers failed."""
    ratio = engines.get(engine, {}).get("ratio")
    peers = [values["ratio"] for name, values in engines.items() if name in PEERS and "ratio" in values]
    return (ratio, ratio / min(peers)) if ratio is not None and peers else None
