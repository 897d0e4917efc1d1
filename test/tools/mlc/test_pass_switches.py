"""Tests of --disable-pass and --replace-pass of the commands that compile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SEPARATE = "--replace-pass=graph-form-kernels=graph-form-kernels{fuse=false}"


def test_switches_change_the_program(mlc: Any, mlp: Path) -> None:
    usual = mlc("compile", mlp, "--json").json()["report"]
    separate = mlc("compile", mlp, SEPARATE, "--disable-pass=cse", "--disable-pass", "canonicalize", "--json")
    assert separate.json()["report"]["launches"] > usual["launches"]


def test_exactness_is_a_class_of_rules(mlc: Any, mlp: Path) -> None:
    def rules(*flags: str) -> set[str]:
        rows = mlc("explain", mlp, "--json", *flags).json()["passes"]
        return {row["pass"] for row in rows}

    assert "graph-assign-layouts" in rules() - rules("--exactness", "exact")
    assert "graph-decompose" in rules("--exactness", "exact")


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("--disable-pass=graph-decompos", "hold no pass 'graph-decompos'; did you mean 'graph-decompose'"),
        ("--disable-pass=graph-form-kernels", "cannot be switched off: kernels are what is compiled"),
        (
            "--disable-pass=cse,canonicalize",
            "one pass each time: --disable-pass cse --disable-pass",
        ),
        ("--exactness=none", "'none' is not one of 'exact', 'rounding', 'approximate'"),
        ("--replace-pass=cse", "--replace-pass expects NAME=PIPELINE, not 'cse'"),
        ("--replace-pass=cse=csx", "no pass or pipeline named 'csx'"),
    ],
)
@pytest.mark.parametrize("command", ["compile", "run"])
def test_usage_errors(mlc: Any, mlp: Path, command: str, flag: str, message: str) -> None:
    done = mlc(command, mlp, flag)
    assert done.status == 2
    assert message in " ".join(done.err.split())
