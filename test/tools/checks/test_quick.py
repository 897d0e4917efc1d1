"""The command that runs the chosen tests: revisions, command lines, and the time limit."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlc.tools.checks import time_limit
from mlc.tools.checks.quick import changed_files, command_lines, default_base, main

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Runs git in a repository with two commits on main."""

    def run(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    run("init", "--quiet", "--initial-branch=main")
    for name in ("first", "second"):
        (tmp_path / name).write_text(name)
        run("add", name)
        run("commit", "--quiet", "--message", name)
    return run


def test_the_base_is_where_the_branch_left_main(git: Git, tmp_path: Path) -> None:
    fork = git("rev-parse", "HEAD")
    git("checkout", "--quiet", "-b", "topic")
    git("commit", "--quiet", "--allow-empty", "--message", "third")
    assert default_base(tmp_path) == fork


def test_the_base_on_main_is_the_commit_before(git: Git, tmp_path: Path) -> None:
    assert default_base(tmp_path) == "HEAD~"
    assert changed_files(tmp_path, "HEAD~") == ["second"]


def test_the_base_without_a_branch_main_is_the_commit_before(git: Git, tmp_path: Path) -> None:
    git("branch", "--move", "main", "trunk")
    assert default_base(tmp_path) == "HEAD~"


def test_uncommitted_untracked_and_deleted_files_count_as_changed(git: Git, tmp_path: Path) -> None:
    (tmp_path / "first").write_text("changed")
    (tmp_path / "second").unlink()
    (tmp_path / "third file").write_text("new")
    assert changed_files(tmp_path, "HEAD") == ["first", "second", "third file"]


def test_an_unknown_revision_is_an_error(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["nowhere"]) == 2
    assert "quick: error: fatal: bad revision 'nowhere'" in capsys.readouterr().err


def test_the_list_holds_distances(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "test_new.py").write_text("")
    monkeypatch.chdir(tmp_path)
    assert main(["--list"]) == 0
    assert capsys.readouterr().out == "0 test/test_new.py\n"


@pytest.mark.parametrize(("body", "status"), [("pass", 0), ("assert False", 1)])
def test_the_status_is_that_of_the_tests(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, status: int
) -> None:
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "test_new.py").write_text(f"def test_it():\n    {body}\n")
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\nmarkers = ['slow']\n")
    monkeypatch.chdir(tmp_path)
    assert main(["--jobs=1"]) == status


def test_lit_tests_and_python_tests_keep_their_order() -> None:
    lit, python = command_lines(["test/b.mlir", "test/test_b.py", "test/a.mlir", "test/test_a.py"], "3")
    assert lit[-2:] == ["test/b.mlir", "test/a.mlir"] and "-j3" in lit
    assert python[-2:] == ["test/test_b.py", "test/test_a.py"]
    assert command_lines([], "auto") == []


def test_only_the_closest_files_run() -> None:
    files = [f"test/{index}.mlir" for index in range(100)] + [f"test/test_{index}.py" for index in range(100)]
    lit, python = command_lines(files, "auto")
    assert lit[-1] == "test/59.mlir" and python[-1] == "test/test_79.py"


def test_tests_are_skipped_after_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time_limit, "monotonic", lambda: now)
    limit = time_limit.TimeLimit(40)
    now = 139.0
    limit.pytest_runtest_setup()
    now = 141.0
    with pytest.raises(pytest.skip.Exception, match="after the time limit of 40 s"):
        limit.pytest_runtest_setup()


@pytest.mark.parametrize(("limit", "outcome"), [("1e-9", "1 skipped"), ("3600", "1 passed")])
def test_the_time_limit_is_an_option(tmp_path: Path, limit: str, outcome: str) -> None:
    (tmp_path / "test_it.py").write_text("def test_it():\n    pass\n")
    plugin = ["-p", "mlc.tools.checks.time_limit", f"--time-limit={limit}", "-p", "no:cacheprovider"]
    command = [sys.executable, "-P", "-m", "pytest", f"--rootdir={tmp_path}", *plugin, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert outcome in done.stdout, done.stdout
