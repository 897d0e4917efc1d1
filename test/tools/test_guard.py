"""The guard: how a child's end, however it ends, becomes a status or a death."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from mlc.tools.child_activity import Activity
from mlc.tools.guard import Death, run_guarded

_INTERRUPTED = """
import os, signal, sys, time
from mlc.tools.guard import run_guarded
def work(activity):
    {body}
    print(os.getpid(), flush=True)
    time.sleep(600)
sys.exit(run_guarded(work))
"""


def start(body: str) -> tuple[subprocess.Popen[str], int]:
    """A guarding process whose child waits, and the child's process id."""
    code = _INTERRUPTED.format(body=body)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until_gone(pid: int) -> bool:
    for _ in range(500):
        if not is_alive(pid):
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("status", [0, 1, 2, 77])
def test_the_status_is_the_work_s(status: int) -> None:
    assert run_guarded(lambda activity: status) == status


def test_a_signal_is_a_death_in_the_step_that_began_last() -> None:
    def work(activity: Activity) -> int:
        activity.leave(b"first")
        activity.begin("one")
        activity.leave(b"2nd")
        activity.begin("the second")
        os.kill(os.getpid(), signal.SIGUSR1)
        return 0

    assert run_guarded(work) == Death("the second", "crashed (SIGUSR1)", b"2nd")


def test_leaving_the_process_is_a_death() -> None:
    def work(activity: Activity) -> int:
        activity.begin("leaving")
        os._exit(0)

    assert run_guarded(work) == Death("leaving", "ended the process with status 0", b"")


def test_a_step_has_a_time_limit() -> None:
    def work(activity: Activity) -> int:
        activity.begin("sleeping")
        time.sleep(600)
        return 0

    assert run_guarded(work, limit=0.2) == Death("sleeping", "did not end within 0.2 s and was stopped", b"")


def test_a_signal_that_nobody_sent_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    # What CPython 3.11 may return when the process was stopped while the time ran out.
    answers = iter([SimpleNamespace(si_signo=310389712)])
    wait = signal.sigtimedwait
    monkeypatch.setattr(signal, "sigtimedwait", lambda *given: next(answers, None) or wait(*given))
    assert run_guarded(lambda activity: 3, limit=60) == 3


def test_the_limit_is_per_step() -> None:
    def work(activity: Activity) -> int:
        for step in range(6):
            activity.begin(str(step))
            time.sleep(0.1)
        return 5

    assert run_guarded(work, limit=0.5) == 5


def test_no_clock_runs_while_the_child_waits() -> None:
    def work(activity: Activity) -> int:
        activity.begin("asking")
        with activity.waiting():
            time.sleep(0.5)
        return 5

    assert run_guarded(work, limit=0.2) == 5


def test_the_clock_runs_again_after_the_wait() -> None:
    def work(activity: Activity) -> int:
        activity.begin("asking")
        with activity.waiting():
            pass
        time.sleep(600)
        return 0

    assert run_guarded(work, limit=0.2) == Death("asking", "did not end within 0.2 s and was stopped", b"")


def test_streams_that_own_their_files_are_written_to() -> None:
    code = """
import os, sys
from mlc.tools.guard import run_guarded
sys.stderr = os.fdopen(2, "w")
sys.exit(run_guarded(lambda activity: print("printed", file=sys.stderr) or 0))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.stderr == "printed\n"


def test_what_finds_no_room_is_not_left() -> None:
    def work(activity: Activity) -> int:
        activity.begin("leaving")
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        activity.leave(b"x" * 2000)
        os._exit(0)

    assert run_guarded(work) == Death("leaving", "ended the process with status 0", b"")


def test_long_steps_are_cut() -> None:
    def work(activity: Activity) -> int:
        activity.begin("long" * 4096)
        os._exit(1)

    result = run_guarded(work)
    assert isinstance(result, Death)
    assert result.step.startswith("longlong")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_both_processes(sent: signal.Signals) -> None:
    process, child = start("signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])")
    process.send_signal(sent)
    assert process.wait(timeout=30) == -sent
    assert wait_until_gone(child)


def test_ctrl_c_that_the_child_answers_ends_with_its_status() -> None:
    process, _ = start("pass")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 128 + signal.SIGINT


def test_the_child_dies_with_a_killed_parent() -> None:
    process, child = start("pass")
    process.kill()
    process.wait(timeout=30)
    assert wait_until_gone(child)
