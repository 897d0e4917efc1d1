"""Short calls are compared with ONNX Runtime's results and timed in the order of the cases."""

from typing import Any

import numpy as np
import pytest

from bench.operators import recurrent, tables
from bench.operators.__main__ import _check, main


def test_a_table_has_a_line_for_each_case_that_matches(capsys: pytest.CaptureFixture[str]) -> None:
    main(["tables", "--only", "LabelEncoder, int to string, 1*", "--rounds", "1", "--seconds", "1e-4"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[1] for line in lines[2:]] == ["1", "10", "1000"]


def test_wrong_results_are_no_measurements() -> None:
    labels = np.array([1, 2])
    right: list[Any] = [labels, [{1: 0.5}, {1: 0.25}]]
    _check(right, right)
    other_value, other_key = [{1: 0.5}, {1: 0.75}], [{1: 0.5}, {2: 0.25}]
    for wrong in ([labels, other_value], [labels, other_key], [labels + 1, right[1]]):
        with pytest.raises(AssertionError):
            _check(wrong, right)


@pytest.mark.parametrize("group", [tables, recurrent])
def test_cases_differ(group: object) -> None:
    cases = [(case.name, case.sizes) for case in group.cases()]  # type: ignore[attr-defined]
    assert len(cases) == len(set(cases)) > 20
