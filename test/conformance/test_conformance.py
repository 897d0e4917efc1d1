"""Cases of ONNX's suite that are recorded as passing pass, and the page of results is that of the records."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conformance_page import PAGE, page
from conformance_record import RECORDS, read

from mlc.tools.cases.suite import suite_cases

_RUN = Path(__file__).with_name("conformance_run.py")


def test_a_sample_of_the_passing_cases_passes() -> None:
    categories = [
        f"--category={name}" for name in ("node", "simple", "pytorch-converted", "pytorch-operator")
    ]
    command = [sys.executable, str(_RUN), *categories, "--passing", "--every", "40"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = re.search(r"^all +(\d+) +(\d+)", done.stdout, re.MULTILINE)
    assert counts and int(counts[1]) == int(counts[2]) > 30


@pytest.mark.slow
def test_records_and_page_are_of_this_suite() -> None:
    cases = suite_cases()
    names = {case.name for case in cases}
    assert len(names) == len(cases)
    for path in RECORDS.glob("*.txt"):
        assert set(read(path) or ()) <= names, path
    assert PAGE.read_text() == page(cases, RECORDS), "run test/conformance/conformance_run.py --report"
