"""The registry: our table, plugins by file and by entry point."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from unittest.mock import patch

import pytest

from mlc.passes import registry
from mlc.passes.base import Pass

PLUGIN = """
from dataclasses import dataclass
from mlc.passes.base import Pass

@dataclass(frozen=True)
class Mine(Pass):
    name = "test-mine"

def register(registry):
    registry.register("test-mine", Mine)
"""


@pytest.fixture(autouse=True)
def unchanged_table() -> Iterator[None]:
    with patch.dict(registry._TABLE):
        yield


def test_table_is_sorted_and_consistent() -> None:
    assert list(registry._TABLE) == sorted(registry._TABLE)
    for name in registry.names():
        cls = registry.lookup(name)
        assert cls is not None and issubclass(cls, Pass)
        assert cls.name == name
        assert cls.__doc__, f"{name} has no docstring"
        assert cls.exactness in ("exact", "rounding", "approximate")
        assert cls.from_text("") == cls(), f"{name} cannot be built from its defaults"


def test_plugin_file(tmp_path: Path) -> None:
    path = tmp_path / "plugin.py"
    path.write_text(PLUGIN)
    assert registry.lookup("test-mine") is None
    registry.load_plugin(path)
    registry.load_plugin(path)
    found = registry.lookup("test-mine")
    assert found is not None and found.__name__ == "Mine"


def test_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "packaged_plugin"
    package.mkdir()
    (package / "passes.py").write_text(PLUGIN)
    (package / "__init__.py").write_text("from packaged_plugin.passes import register\n")
    monkeypatch.setattr("sys.path", list(sys.path))
    registry.load_plugin(package)
    found = registry.lookup("test-mine")
    assert found is not None and found.__module__ == "packaged_plugin.passes"


def test_plugins_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "from_environment.py"
    path.write_text(PLUGIN)
    monkeypatch.setenv(registry.PLUGIN_VARIABLE, f"{path}{os.pathsep}")
    registry.load_installed_plugins.cache_clear()
    assert "test-mine" in registry.names()
    monkeypatch.setenv(registry.PLUGIN_VARIABLE, str(tmp_path / "none.py"))
    registry.load_installed_plugins.cache_clear()
    with pytest.raises(registry.PluginError, match=r"none\.py': No such file"):
        registry.names()
    registry.load_installed_plugins.cache_clear()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "has no function register"),
        ("raise ValueError('broken')", "ValueError: broken"),
        ("def register(registry): registry.nothing()", "failed to register"),
    ],
)
def test_bad_plugins(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.py"
    path.write_text(text)
    with pytest.raises(registry.PluginError, match=message):
        registry.load_plugin(path)


def test_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "installed_plugin.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    entry = EntryPoint("mine", "installed_plugin", registry.PLUGIN_GROUP)
    registry.load_installed_plugins.cache_clear()
    with patch("importlib.metadata.entry_points", lambda group: [entry]):
        assert "test-mine" in registry.names()
    registry.load_installed_plugins.cache_clear()


def test_names_cannot_be_taken_twice() -> None:
    class One(Pass):
        name = "test-one"

    registry.register("test-one", One)
    registry.register("test-one", One)
    with pytest.raises(ValueError, match="already registered"):
        registry.register("test-one", "elsewhere:Two")
