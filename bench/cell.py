"""The harness's side of a worker: one engine, one model, one thread count."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.memory import PeakSampler

ROOT = Path(__file__).parent.parent


class CellError(Exception):
    """Raised if a worker failed, died, or took too long."""


@dataclass(frozen=True)
class Key:
    """The subject of a cell; `engine` may have options, as `bench.engines.EngineVariant.parse` reads them."""

    model: str
    engine: str
    threads: int


class BenchCell:
    """A running worker. Use as a context manager; leaving it ends the process and its children.

    `cache` is the folder that compilers may cache in: an empty one makes the compile cold.
    """

    def __init__(
        self,
        key: Key,
        model: Path,
        cpus: list[int],
        *,
        python: str,
        cache: Path,
        log: Path,
    ) -> None:
        self.key = key
        command = [
            python,
            "-m",
            "bench.worker",
            key.engine,
            str(model),
            str(key.threads),
            ",".join(map(str, cpus)),
        ]
        self._log = log.open("w")
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=_environment(key.threads, cache),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            start_new_session=True,
        )

    def __enter__(self) -> BenchCell:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()
        self._log.close()

    def load(self, inputs: Path, timeout: float) -> dict[str, Any]:
        """Load and call once; adds `peak_mb`, the peak of the process with its children."""
        with PeakSampler(self._process.pid) as sampler:
            reply = self.request(timeout, command="load", inputs=str(inputs))
        return {**reply, "peak_mb": max(sampler.peak_mb, reply["process_peak_mb"])}

    def request(self, timeout: float, **request: Any) -> dict[str, Any]:
        """Send a request and wait for its reply. Raises CellError."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise CellError(self._death()) from None
        line = self._read_line(timeout)
        reply: dict[str, Any] = json.loads(line) if line else {"error": self._death()}
        if "error" in reply:
            raise CellError(reply["error"])
        return reply

    def _read_line(self, timeout: float) -> str:
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            if not selector.select(timeout):
                raise CellError(f"no answer within {timeout:g} s")
        return self._process.stdout.readline()

    def _death(self) -> str:
        return f"worker ended with status {self._process.wait()}; see {self._log.name}"


def _environment(threads: int, cache: Path) -> dict[str, str]:
    libraries = ("OMP", "OPENBLAS", "MKL", "TVM")
    counts = {f"{library}_NUM_THREADS": str(threads) for library in libraries}
    caches = {"XDG_CACHE_HOME": "", "MLC_CACHE_DIR": "mlc", "TORCHINDUCTOR_CACHE_DIR": "inductor"}
    return {**os.environ, **counts, **{name: str(cache / folder) for name, folder in caches.items()}}
