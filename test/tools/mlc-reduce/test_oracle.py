"""Tests of what makes a test run interesting, how many run, and which processes and files remain."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mlc.tools.reduce.oracle import Condition, Oracle, OutOfTests


@pytest.mark.parametrize(
    ("condition", "status", "errors", "holds"),
    [
        (Condition(), 0, "", True),
        (Condition(), 1, "", False),
        (Condition(), None, "", False),
        (Condition(exit=1), 1, "", True),
        (Condition(exit=1), 0, "", False),
        (Condition(crash=True), -signal.SIGSEGV, "", True),
        (Condition(crash=True), 128 + signal.SIGABRT, "", True),
        (Condition(crash=True), 1, "pass 'cse' crashed (SIGSEGV)", True),
        (Condition(crash=True), 1, "error: crashed", False),
        (Condition(crash=True), 0, "", False),
        (Condition(crash=True, stderr=re.compile("cse")), -signal.SIGSEGV, "dce", False),
        (Condition(stderr=re.compile("op .* failed")), 1, "op 'x' failed", True),
        (Condition(stderr=re.compile("failed"), exit=2), 1, "failed", False),
        (Condition(hang=True), None, "", True),
        (Condition(hang=True), 0, "", False),
    ],
)
def test_a_run_is_interesting_if_all_conditions_hold(
    condition: Condition, status: int | None, errors: str, holds: bool
) -> None:
    assert condition.holds(status, errors) is holds


def test_a_run_over_its_time_is_a_hang_and_is_killed_with_its_children() -> None:
    length = f"123.{os.getpid()}"  # of this process alone: other runs of the tests may be in progress
    oracle = Oracle(["sh", "-c", f"sleep {length} & grep -q x $0 || wait"], Condition(hang=True), timeout=1)
    assert oracle.first_interesting(["x", "y"]) == 1
    assert oracle.tests == 2
    assert subprocess.run(["pgrep", "-f", f"sleep {re.escape(length)}"], check=False).returncode == 1


def test_tests_of_a_batch_run_at_the_same_time(tmp_path: Path) -> None:
    """Each waits until there are three."""
    wait = f"until test $(ls {tmp_path} | wc -l) -ge 3; do sleep 0.05; done"
    script = f"cat $0 > {tmp_path}/$$; {wait}; grep -q c $0"
    assert Oracle(["sh", "-c", script], Condition(), jobs=3).first_interesting("abc") == 2


def test_a_batch_that_would_pass_the_limit_runs_in_part() -> None:
    oracle = Oracle(["grep", "-q", "b"], Condition(), jobs=3, max_tests=2)
    assert oracle.first_interesting("abc") == 1
    assert oracle.tests == 2
    assert oracle.first_interesting("ab") == 1  # both are known
    with pytest.raises(OutOfTests):
        oracle.first_interesting("acd")


def test_temporary_files_of_a_test_go_away(tmp_path: Path) -> None:
    oracle = Oracle(["sh", "-c", f'mktemp > {tmp_path}/name; test -e "$(cat {tmp_path}/name)"'], Condition())
    assert oracle.first_interesting(["x"]) == 0
    assert not Path((tmp_path / "name").read_text().strip()).exists()


def test_bytes_that_are_not_text_reach_the_test(tmp_path: Path) -> None:
    raw = b"module {} // \xff"
    oracle = Oracle(["sh", "-c", f"cp $0 {tmp_path}/seen"], Condition())
    assert oracle.first_interesting([raw.decode(errors="surrogateescape")]) == 0
    assert (tmp_path / "seen").read_bytes() == raw


@pytest.mark.parametrize("interesting", ["", "small"])
def test_ctrl_c_ends_without_a_traceback_and_writes_the_best(tmp_path: Path, interesting: str) -> None:
    """The test waits for ever on the first candidate, or on the first after the input."""
    source, script, output = tmp_path / "in.mlir", tmp_path / "test.sh", tmp_path / "out.mlir"
    source.write_text("not MLIR, small\n")
    test = f"grep -q 'not MLIR, {interesting or 'large'}' $1 && exit 0"
    script.write_text(f"#!/bin/sh\n{test}\ntouch {tmp_path}/started\nsleep 60\n")
    script.chmod(0o755)
    tool = [
        sys.executable,
        "-P",
        "-m",
        "mlc.tools.reduce.main",
        str(source),
        f"--test={script}",
        f"-o={output}",
    ]
    process = subprocess.Popen(tool, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "started").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "Traceback" not in errors
    assert output.exists() is bool(interesting)
