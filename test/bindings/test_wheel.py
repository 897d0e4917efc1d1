"""The facts about the wheel that need no import, against the installed metadata."""

from __future__ import annotations

from importlib.metadata import version

import mlc
from mlc.bindings.wheel import wheel_version
from mlc.version import VERSION


def test_the_wheel_s_version() -> None:
    assert wheel_version() == version("torch-mlir")


def test_the_package_s_version() -> None:
    assert version("mlc-compiler") == VERSION == mlc.__version__
