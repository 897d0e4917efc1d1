"""The errors that users see: one base, one table, names that say what they are."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import mlc
from mlc.errors import ERRORS, RENAMED

# Found through the links of the package, not the repository: an installed wheel has the same folders.
ROOT = Path(mlc.__file__).parent
# Raised and reported by one tool, or by a function that imports ONNX operators; docs/errors.md names them.
BESIDE = {
    "BudgetError",
    "FailedNodeError",
    "NodeError",
    "UnlikeBranchesError",
    "ToolError",
    "TranslationError",
    "UnsupportedNodeError",
    "UsageError",
}


@cache
def bases() -> dict[str, set[str]]:
    """The names of the bases of each class of the project."""
    found: dict[str, set[str]] = {}
    folders = [path for path in ROOT.iterdir() if path.is_dir()]
    files = [*ROOT.glob("*.py"), *(file for folder in folders for file in folder.resolve().rglob("*.py"))]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef):
                names = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
                found.setdefault(node.name, set()).update(names)
    return found


def derived_names(root: str) -> set[str]:
    """The classes that derive from `root`, itself included."""
    found = {root}
    while new := {name for name, above in bases().items() if above & found} - found:
        found |= new
    return found


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_names_of_the_package(name: str) -> None:
    error = getattr(mlc, name)
    assert issubclass(error, mlc.Error)
    assert error.__name__ == name
    assert (error.__doc__ or "").strip()


def test_the_table_has_all_errors() -> None:
    assert derived_names("Error") == {*ERRORS, *BESIDE}


def test_no_exception_is_called_a_failure() -> None:
    exceptions = derived_names("Exception") | derived_names("Error") | derived_names("ValueError")
    assert [name for name in exceptions if name.endswith(("Failure", "Exception")) and name in bases()] == []


@pytest.mark.parametrize("old", RENAMED)
def test_a_removed_name_is_an_error_with_the_new_one(old: str) -> None:
    with pytest.raises(AttributeError, match=f"{old}.*mlc.{RENAMED[old]}"):
        getattr(mlc, old)


def test_callers_may_rely_on_the_builtin_bases() -> None:
    assert issubclass(mlc.TargetError, ValueError)
    with pytest.raises(ValueError, match="toaster"):
        mlc.compile("model.onnx", target="toaster")


def test_the_table_of_errors_imports_nothing() -> None:
    program = "import mlc, sys; print(*(name for name in sys.modules if name.startswith('mlc.')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["mlc.errors", "mlc.threads"]
