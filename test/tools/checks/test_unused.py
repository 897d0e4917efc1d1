"""The finder of dead code, on small checkouts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from mlc.tools.checks import unused
from mlc.tools.checks.names import read_module

TOOL = """
from mlc.passes.work import called, Base
from mlc.passes import table

def main():
    called(Base())
    table.look("one")
"""
WORK = '''
from dataclasses import dataclass
from mlc.passes.registry import enters

LIMIT = 3
UNREAD = 4

@dataclass
class Base:
    size: int = 0
    forgotten: int = 0

    def read(self):
        return self.size + LIMIT

    def unread(self):
        """Nobody calls it."""

    def __len__(self):
        return 0

def called(x):
    return x.read()

def lonely():
    return lonely()

def tested():
    return called(Base())

@enters("two")
def registered():
    pass
'''
FILES = {
    "pyproject.toml": '[project.scripts]\ntool = "mlc.tools.tool:main"\n',
    "README.md": "    from mlc.passes.shown import for_users\n",
    "mlc/__init__.py": "",
    "tools/__init__.py": "",
    "tools/tool.py": TOOL,
    "passes/__init__.py": "",
    "passes/work.py": WORK,
    "passes/registry.py": "def enters(name):\n    return lambda function: function\n",
    "passes/table.py": 'TABLE = {"one": "mlc.passes.lazy:One"}\n\ndef look(name):\n    return TABLE[name]\n',
    "passes/lazy.py": "class One:\n    pass\n\ndef called():\n    pass\n",
    "passes/shown.py": "def for_users():\n    pass\n",
    "passes/orphan.py": "def called():\n    pass\n",
    "test/test_work.py": "from mlc.passes.work import tested\n\ndef test():\n    assert tested() == 3\n",
}


def check_files(folder: Path, files: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(unused, "PUBLIC", ("mlc",))
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name in ("tools", "passes"):
        (folder / "mlc" / name).symlink_to(f"../{name}")
    return unused.check(folder)


def test_dead_code_and_what_tests_alone_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unused, "ALLOWED", {})
    assert check_files(tmp_path, FILES, monkeypatch) == [
        "passes/lazy.py:4: function called is unused",
        "passes/orphan.py:0: module mlc.passes.orphan is unused",
        "passes/work.py:6: constant UNREAD is unused",
        "passes/work.py:11: field Base.forgotten is unused",
        "passes/work.py:16: method Base.unread is unused",
        "passes/work.py:25: function lonely is unused",
        "passes/work.py:28: function tested is used by tests alone",
    ]


def test_what_is_allowed_is_no_finding_and_has_to_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = ["mlc.passes.orphan", "called", "UNREAD", "Base.forgotten", "Base.unread", "lonely", "tested"]
    monkeypatch.setattr(unused, "ALLOWED", dict.fromkeys([*allowed, "main"], "a reason"))
    assert check_files(tmp_path, FILES, monkeypatch) == ["main is allowed, but it is no dead code"]


def test_relative_imports_are_resolved() -> None:
    package = read_module("mlc.a", "a/__init__.py", "from .b import c\n")
    assert package.imports == {"c": ("mlc.a.b", "c")}
    module = read_module("mlc.a.x", "a/x.py", "from .b import c\nfrom .. import d\n")
    assert module.imports == {"c": ("mlc.a.b", "c"), "d": ("mlc", "d")}


def test_modules_of_computed_names() -> None:
    text = (
        'from importlib import import_module\n\nimport_module(f"mlc.a.{x}")\nimport_module(f"{__name__}.y")\n'
    )
    assert read_module("mlc.b", "b.py", text).body.packages == {"mlc.a", "mlc.b"}
