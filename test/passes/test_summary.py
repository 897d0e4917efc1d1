"""Summaries of passes from their source: the same as from the classes, and without MLIR."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from mlc.passes import registry
from mlc.passes.base import Pass, option
from mlc.passes.summary import PassSummary, summary


@dataclass(frozen=True)
class Example(Pass):
    """Does something that takes
    two lines. And more."""

    name = "test-summary"
    anchor = "func.func"
    sizes: tuple[int, ...] = option((2 * 8, -1), help="tile sizes")
    mode: str = option("fast", help="how", choices=("fast", "slow"))


def without_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "lookup", lambda name: pytest.fail(f"'{name}' was imported"))


@pytest.mark.parametrize("name", registry.names())
def test_source_says_what_the_class_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cls = registry.lookup(name)
    assert cls is not None
    monkeypatch.setitem(registry._TABLE, name, cls)
    from_class = summary(name)
    monkeypatch.setitem(registry._TABLE, name, f"{cls.__module__}:{cls.__name__}")
    without_classes(monkeypatch)
    assert summary(name) == from_class


def test_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._TABLE, "test-summary", f"{__name__}:Example")
    without_classes(monkeypatch)
    assert summary("test-summary") == PassSummary(
        "Does something that takes two lines", "func.func", "exact", Example.options()
    )


def test_what_is_computed_is_left_to_the_class(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = Path(__file__).read_text(encoding="utf-8").replace("(2 * 8, -1)", "tuple(range(2))")
    (tmp_path / "computed_pass.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(registry._TABLE, "test-summary", "computed_pass:Example")
    found = summary("test-summary")
    assert found is not None and found.options[0].default == (0, 1)


def test_unknown_pass() -> None:
    assert summary("no-such-pass") is None


def test_help_does_not_load_mlir() -> None:
    code = "import sys, mlc.tools.opt.help as help; help.help_text(); print('torch_mlir' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"
