"""The worker as its parent sees it, what is written while cases run, the clocks."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.gpu.runner.budget import TimeBudget
from bench.gpu.runner.clocks import Clocks
from bench.gpu.runner.manifest import FORMAT, CasesManifest, GpuCase
from bench.gpu.runner.run import GpuRun
from bench.gpu.runner.session import WorkerSession

# Answers with the request and with its process id; "child" starts a process that outlives the answer.
WORKER = """
import json, os, subprocess, sys
pipe = int(sys.argv[-1])
for line in sys.stdin:
    answer = json.loads(line)
    if answer.pop("child", False):
        answer["child"] = subprocess.Popen(["sleep", "60"]).pid
    os.write(pipe, json.dumps({**answer, "process": os.getpid(), "end": True}).encode() + b"\\n")
"""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[WorkerSession]:
    made = WorkerSession([sys.executable, "-c", WORKER], tmp_path / "log")
    yield made
    made.close()


def ask(session: WorkerSession, **request: Any) -> dict[str, Any]:
    [answer] = session.ask(request, 20)
    return answer


def test_workers_are_replaced_where_their_device_is_broken(session: WorkerSession) -> None:
    assert not session.alive
    first = ask(session, error="a case that is not right", broken=False)["process"]
    assert session.alive
    assert ask(session, error="a kernel that failed", broken=True)["process"] == first
    assert not session.alive
    assert ask(session)["process"] != first


def test_a_worker_ends_with_the_processes_that_it_started(session: WorkerSession) -> None:
    child = ask(session, child=True)["child"]
    assert _running(child)
    session.close()
    deadline = time.monotonic() + 10
    while _running(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _running(child)


def _running(process: int) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Lost:
    """A session that fails in the second case."""

    alive = True

    def ask(self, request: dict[str, Any], seconds: float) -> Iterator[dict[str, Any]]:
        if request["case"] == "second":
            raise RuntimeError("lost")
        yield {"verified": True, "errors": [0.0], "end": True}

    def close(self) -> None:
        """Nothing is open."""


def test_what_is_known_is_written_after_each_case(tmp_path: Path) -> None:
    cases = tuple(GpuCase(name, "gemm", "f32") for name in ("first", "second"))
    manifest, path = CasesManifest(FORMAT, "sm_90a", "none", cases), tmp_path / "results.json"
    run = GpuRun(manifest, cases, Lost(), TimeBudget(100), path)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="lost"):
        run.verify()
    first, second = json.loads(path.read_text())["cases"]
    assert (first["verified"], "verified" in second) == (True, False)
    assert "- first: verified (error 0.0e+00)" in path.with_suffix(".md").read_text()


def test_clocks() -> None:
    lines = "1980, 2619, 350.5, 45\\n1200, 2619, [N/A], 44\\nFailed to initialize NVML\\n"
    clocks = Clocks(["sh", "-c", f"printf '{lines}'; exec sleep 60"])
    deadline = time.monotonic() + 10
    while "watts" not in clocks.since(0) or clocks.since(0)["sm_mhz"]["low"] > 1200:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert clocks.since(0)["sm_mhz"] == {"low": 1200, "median": 1590, "high": 1980}
    assert clocks.since(0)["watts"] == {"low": 350.5, "median": 350.5, "high": 350.5}
    assert clocks.since(clocks.now()) == {}
    clocks.close()


def test_without_nvidia_smi_there_are_no_clocks() -> None:
    clocks = Clocks(["no-such-nvidia-smi"])
    assert clocks.since(0) == {}
    clocks.close()


def test_a_worker_that_ended_is_noticed(session: WorkerSession) -> None:
    """Its end is not the failure of the case that follows."""
    first = ask(session)["process"]
    os.kill(first, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while session.alive and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not session.alive
    answer = ask(session)
    assert "error" not in answer and answer["process"] != first
