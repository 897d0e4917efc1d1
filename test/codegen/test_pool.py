"""The worker pool: results, errors, crashes, and the release of all resources."""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mlc.bindings import ir
from mlc.codegen.errors import JobError, PoolClosedError, WorkerCrashError
from mlc.codegen.pool import WorkerPool

WAIT = 60  # seconds after which something that must happen has not


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(2) as workers:
        yield workers


@pytest.fixture(scope="module")
def shared() -> Iterator[WorkerPool]:
    """A pool for jobs that do not end its workers."""
    with WorkerPool(1) as workers:
        yield workers


def job_error(pool: WorkerPool, name: str) -> JobError:
    with pytest.raises(JobError) as caught:
        pool.submit(f"pool_jobs:{name}", {}).result(WAIT)
    return caught.value


def crash(pool: WorkerPool, name: str, timeout: float | None = None) -> WorkerCrashError:
    with pytest.raises(WorkerCrashError) as caught:
        pool.submit(f"pool_jobs:{name}", {}, timeout).result(WAIT)
    return caught.value


def wait_for(path: Path) -> int:
    """Waits for the process id that a job writes to `path`."""
    end = time.monotonic() + WAIT
    while not path.exists() or not path.read_text():
        assert time.monotonic() < end, f"{path} was not written"
        time.sleep(0.02)
    return int(path.read_text())


def wait_until_gone(pid: int) -> None:
    end = time.monotonic() + WAIT
    while running(pid):
        assert time.monotonic() < end, f"process {pid} still runs"
        time.sleep(0.02)


def running(pid: int) -> bool:
    """Whether a thread of `pid` runs; a zombie that nobody has reaped yet does not."""
    process = Path("/proc", str(pid))
    with contextlib.suppress(OSError):
        state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z" or len(list((process / "task").iterdir())) > 1
    return False


def test_values_and_bytes_go_there_and_back(shared: WorkerPool) -> None:
    payload = {
        "text": "größe\n",
        "scalars": [1, -2.5, 2**70, True, None],
        "bytes": b"\0\xff" * 300_000,
        "nested": {"list": [b"", {"deep": b"x"}], "empty": {}},
    }
    result = shared.submit("pool_jobs:echo", payload).result(WAIT)
    assert result.pop("pid") != os.getpid()
    assert result == payload


def test_prints_do_not_disturb_the_results(shared: WorkerPool) -> None:
    assert shared.submit("pool_jobs:chatty", {}).result(WAIT) == {"stdin": ""}


def test_exception_comes_back_with_its_fields(shared: WorkerPool) -> None:
    error = job_error(shared, "fail")
    assert (error.type, error.message) == ("pool_jobs.StructuredError", "no such tile")
    assert error.notes == ("try 16", "in kernel k3")
    assert error.fields["tile"] == 12 and error.fields["where"] == {"sizes": [1, 2]}
    assert error.fields["location"] == "<class 'object'>"
    assert "in fail" in error.traceback


@pytest.mark.parametrize(
    ("name", "type_name", "message"),
    [
        ("leave", "builtins.SystemExit", "enough"),
        ("unsendable", "builtins.TypeError", "a object cannot be sent"),
        ("absent", "builtins.AttributeError", "absent"),
        ("parse", type(ir.MLIRError("")).__module__ + ".MLIRError", "'scf.nothing' is unknown"),
    ],
)
def test_other_failures_of_a_job(shared: WorkerPool, name: str, type_name: str, message: str) -> None:
    error = job_error(shared, name)
    assert error.type == type_name
    assert message in error.message


@pytest.mark.parametrize("payload", [{"x": object()}, {"x": {1: 2}}, {"$bytes": 0}])
def test_unsendable_payload_fails_its_own_job(shared: WorkerPool, payload: dict) -> None:
    with pytest.raises(TypeError, match="cannot be sent"):
        shared.submit("pool_jobs:echo", payload).result(WAIT)
    assert "pid" in shared.submit("pool_jobs:echo", {}).result(WAIT)


def test_generated_code_comes_back(shared: WorkerPool) -> None:
    payload = {"text": "define void @f() { ret void }", "target": "x86-64"}
    assert shared.submit("pool_jobs:compile_text", payload).result(WAIT)["object"].startswith(b"\x7fELF")


@pytest.mark.parametrize(
    ("name", "killed_by", "code", "lines"),
    [
        ("segfault", signal.SIGSEGV, -signal.SIGSEGV, ("about to",)),
        ("kill_self", signal.SIGKILL, -signal.SIGKILL, ()),
        ("exit_now", None, 3, ("last words",)),
    ],
)
def test_crash_fails_its_own_job_only(
    pool: WorkerPool, name: str, killed_by: int | None, code: int, lines: tuple[str, ...]
) -> None:
    others = [pool.submit("pool_jobs:nap", {"seconds": 0.2}) for _ in range(3)]
    error = crash(pool, name)
    assert (error.function, error.signal, error.exit_code) == (f"pool_jobs:{name}", killed_by, code)
    assert error.stderr == lines
    assert [other.result(WAIT) for other in others] == [{}, {}, {}]
    assert "pid" in pool.submit("pool_jobs:echo", {}).result(WAIT)


def test_crash_message_is_for_the_user(pool: WorkerPool) -> None:
    assert str(crash(pool, "segfault")) == (
        "the worker process running pool_jobs:segfault was killed by SIGSEGV\nabout to"
    )
    assert "out of memory?" in str(crash(pool, "kill_self"))


def test_abort_inside_llvm_is_contained(pool: WorkerPool) -> None:
    text = "define <vscale x 4 x i32> @f(<vscale x 4 x i32> %x) { ret <vscale x 4 x i32> %x }"
    job = pool.submit("pool_jobs:compile_text", {"text": text, "target": "x86-64"})
    with pytest.raises(WorkerCrashError) as caught:
        job.result(WAIT)
    assert caught.value.signal in (signal.SIGABRT, signal.SIGSEGV)
    assert "pid" in pool.submit("pool_jobs:echo", {}).result(WAIT)


def test_job_past_its_time_is_killed_with_its_children(pool: WorkerPool, tmp_path: Path) -> None:
    job = pool.submit("pool_jobs:spin", {"child": str(tmp_path / "child")}, timeout=1.0)
    with pytest.raises(WorkerCrashError, match="ran past its time") as caught:
        job.result(WAIT)
    assert caught.value.timed_out
    wait_until_gone(wait_for(tmp_path / "child"))
    assert "pid" in pool.submit("pool_jobs:echo", {}).result(WAIT)


def test_worker_that_died_idle_costs_no_job(shared: WorkerPool) -> None:
    first = shared.submit("pool_jobs:echo", {}).result(WAIT)["pid"]
    os.kill(first, signal.SIGKILL)
    wait_until_gone(first)
    assert shared.submit("pool_jobs:echo", {}).result(WAIT)["pid"] != first


def test_workers_are_kept_and_started_only_as_needed() -> None:
    with WorkerPool(4) as pool:
        pids = {pool.submit("pool_jobs:echo", {}).result(WAIT)["pid"] for _ in range(5)}
        assert len(pids) <= 2  # two, when a job comes before the first thread has counted the last one


def test_start_is_for_all_and_preloads() -> None:
    with WorkerPool(2, preload=["no.such.module", "wave"]) as pool:
        pool.start()
        assert pool.submit("pool_jobs:check_preload", {}).result(WAIT) == {"loaded": True}
        assert len(pool._workers) == 2


def test_closing_now_fails_open_jobs(tmp_path: Path) -> None:
    pool = WorkerPool(1)
    jobs = [pool.submit("pool_jobs:spin", {"started": str(tmp_path / "pid")}) for _ in range(3)]
    pid = wait_for(tmp_path / "pid")
    pool.close()
    for job in jobs:
        with pytest.raises(PoolClosedError):
            job.result(WAIT)
    assert not running(pid)
    with pytest.raises(PoolClosedError):
        pool.submit("pool_jobs:echo", {})
    pool.close()


def test_closing_while_a_job_is_submitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """No job is added after the pool is closed, for which nobody would fail it."""
    pool = WorkerPool(1)
    closing = threading.Thread(target=pool.close)
    put = queue.SimpleQueue.put

    class Jobs(queue.SimpleQueue):
        def put(self, job: Any, *options: Any) -> None:
            if job is not None:
                closing.start()
                closing.join(1)
            put(self, job, *options)

    monkeypatch.setattr(pool, "_jobs", Jobs())
    with pytest.raises(PoolClosedError):
        pool.submit("pool_jobs:echo", {}).result(WAIT)
    closing.join()


# A script as a user writes it: no `__main__` guard, the pool left open.
SCRIPT = """
    import sys
    from mlc.codegen.pool import WorkerPool
    print("top", flush=True)
    pool = WorkerPool(2)
    pool.start()
    print(pool.submit("pool_jobs:echo", {}).result()["pid"], flush=True)
    if len(sys.argv) > 1:
        with pool:
            pool.submit("pool_jobs:spin", {"started": sys.argv[1]}).result()
"""


def run_script(tmp_path: Path, *arguments: str) -> subprocess.Popen:
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(SCRIPT))
    search_path = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(search_path)}
    return subprocess.Popen(
        [sys.executable, path, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        process_group=0,
        cwd=tmp_path,
    )


def test_script_needs_no_guard_and_leaves_nothing(tmp_path: Path) -> None:
    output, errors = run_script(tmp_path).communicate(timeout=WAIT)
    top, pid = output.split()
    assert (top, errors) == ("top", "")
    assert not running(int(pid))


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_a_killed_parent(tmp_path: Path, sent: int) -> None:
    script = run_script(tmp_path, str(tmp_path / "pid"))
    pid = wait_for(tmp_path / "pid")
    script.send_signal(sent)
    script.communicate(timeout=WAIT)
    wait_until_gone(pid)


def test_interrupt_ends_the_script_and_its_workers(tmp_path: Path) -> None:
    script = run_script(tmp_path, str(tmp_path / "pid"))
    pid = wait_for(tmp_path / "pid")
    os.killpg(script.pid, signal.SIGINT)
    _, errors = script.communicate(timeout=WAIT)
    assert script.returncode in (130, -signal.SIGINT)
    assert errors.count("Traceback") == 1 and "KeyboardInterrupt" in errors
    assert not running(pid)
