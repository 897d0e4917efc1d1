"""The generated reference pages are those that the code describes."""

import importlib.util
from pathlib import Path

from mlc.tools.references.tools_overview import known_flags
from mlc.tools.upstream_flags import MLIR_OPT_FLAGS

_PATH = Path(__file__).parents[2] / "docs" / "generate_references.py"


def test_references_are_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("generate_references", _PATH)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.main(["--check"]) == 0, "run make docs"


def test_each_flag_of_mlir_opt_that_mlc_opt_lacks_has_a_reason() -> None:
    lacking = [flag for flag in MLIR_OPT_FLAGS if flag not in known_flags()]
    assert lacking
    assert [flag for flag in lacking if not MLIR_OPT_FLAGS[flag]] == []
