"""The columns of docs/operators.md about tests."""

from __future__ import annotations

import re
from pathlib import Path

from mlc.frontends.onnx.registry import registrations
from mlc.tools.references.onnx_operators import file_of_tests, own_cases

ROOT = Path(__file__).parents[2]


def test_cases_are_those_of_the_conformance_page() -> None:
    page = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    found = re.search(r"\| `ai.onnx.ml.Binarizer` \| (\d+) \| (\d+) ", page)
    assert found is not None
    assert own_cases(ROOT, "ai.onnx.ml", "Binarizer").startswith(f"{found[2]} of {found[1]}")
    assert own_cases(ROOT, "", "NoOperatorAtAll") == ""


def test_files_name_the_operator() -> None:
    assert file_of_tests(ROOT, "TfIdfVectorizer") == "`numerics/operators/test_tf_idf.py`"
    assert file_of_tests(ROOT, "NoOperatorAtAll") == ""
    for name in sorted({name for domain, name in registrations() if not domain}):
        path = file_of_tests(ROOT, name).strip("`")
        assert not path or name in (ROOT / "test" / path).read_text(encoding="utf-8")
