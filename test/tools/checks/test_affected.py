"""The choice of tests, by small trees of tests of the real modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlc.passes import registry
from mlc.tools.checks.affected import CHANGED, SAME_NAME, USED, affected_tests, imported_names

# The pass's module, wherever it is.
MODULE = str(registry.lookup("graph-decompose").__module__)
DECOMPOSE = MODULE.removeprefix("mlc.").replace(".", "/") + ".py"
FOLDER = Path("test", DECOMPOSE).parent.as_posix()
FILES = {
    f"{FOLDER}/graph-decompose.mlir": "// RUN: mlc-opt %s --canonicalize",
    f"{FOLDER}/graph-fold.mlir": "// RUN: mlc-opt %s --graph-decompose\n// --graph-fold-batch-norm",
    f"{FOLDER}/test_direct.py": " import ".join(["from " + MODULE.rpartition(".")[0], "decompose"]),
    f"{FOLDER}/test_helped.py": "import helper",
    f"{FOLDER}/test_lazy.py": f"def test_it():\n    import {MODULE}",
    f"{FOLDER}/test_other.py": "import mlc.targets",
    f"{FOLDER}/helper.py": f"from {MODULE} import Decompose",
    "test/pipelines/graph-optimize.mlir": "// RUN: mlc-opt %s --pass-pipeline=builtin.module(graph-optimize)",
    "test/pipelines/Inputs/shared.mlir": "// RUN: mlc-opt %s --graph-decompose",
    "test/tools/translate.mlir": "// RUN: mlc-translate %s",
    "test/tools/test_named_after_nothing.py": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_a_changed_module_chooses_what_is_named_like_it_and_what_uses_it(root: Path) -> None:
    assert affected_tests(root, [DECOMPOSE], imports=1) == {
        f"{FOLDER}/graph-decompose.mlir": SAME_NAME,
        f"{FOLDER}/graph-fold.mlir": USED,
        f"{FOLDER}/test_direct.py": USED,
        f"{FOLDER}/test_helped.py": USED,
        f"{FOLDER}/test_lazy.py": USED,
        "test/pipelines/graph-optimize.mlir": USED + 1,
    }


def test_the_closest_tests_come_first(root: Path) -> None:
    chosen = list(affected_tests(root, [DECOMPOSE, "test/tools/test_named_after_nothing.py"]))
    assert chosen[:2] == ["test/tools/test_named_after_nothing.py", f"{FOLDER}/graph-decompose.mlir"]
    assert chosen[-1] == "test/pipelines/graph-optimize.mlir"


def test_importers_of_importers_are_further(root: Path) -> None:
    """mlc.tools.translate.main imports mlc.tools.program, and that imports mlc.tools.guard."""
    test = "test/tools/translate.mlir"
    assert affected_tests(root, ["tools/guard.py"])[test] == USED + 2
    assert test not in affected_tests(root, ["tools/guard.py"], imports=1)


def test_changed_helpers_and_inputs_choose_the_tests_that_take_them(root: Path) -> None:
    assert affected_tests(root, [f"{FOLDER}/helper.py"]) == {f"{FOLDER}/test_helped.py": USED}
    changed = ["test/pipelines/Inputs/shared.mlir"]
    assert affected_tests(root, changed) == {"test/pipelines/graph-optimize.mlir": CHANGED}


def test_a_changed_conftest_chooses_the_tests_of_its_folder(root: Path) -> None:
    (root / "test/tools/conftest.py").write_text("")
    assert affected_tests(root, ["test/tools/conftest.py"]) == {
        "test/tools/test_named_after_nothing.py": USED
    }


def test_a_removed_test_is_not_chosen(root: Path) -> None:
    assert affected_tests(root, ["test/tools/test_removed.py", "docs/architecture.md"]) == {}


def test_a_package_s_file_chooses_tests_of_the_package(root: Path) -> None:
    assert affected_tests(root, ["targets/__init__.py"])[f"{FOLDER}/test_other.py"] == USED


def test_imported_names() -> None:
    source = "import a.b\nfrom c import d\nfrom . import e\ndef f():\n    from g.h import i"
    assert imported_names(source) == {"a.b", "c", "c.d", "g.h", "g.h.i"}


def test_pipelines_import_the_passes_that_they_name(root: Path) -> None:
    (root / "test/test_named.py").write_text("import mlc.pipelines.named")
    assert affected_tests(root, [DECOMPOSE])["test/test_named.py"] == USED + 1


def test_of_tests_at_one_distance_those_in_close_folders_come_first(root: Path) -> None:
    for folder in ("test/analysis", "test/targets/cpu"):
        (root / folder).mkdir(parents=True)
        (root / folder / "test_it.py").write_text("import mlc.targets.processors")
    chosen = list(affected_tests(root, ["targets/processors.py"], imports=0))
    assert chosen == ["test/targets/cpu/test_it.py", "test/analysis/test_it.py"]
