"""A pytest plugin: `--time-limit=SECONDS` skips the tests that would start after that time."""

from __future__ import annotations

from time import monotonic

import pytest


@pytest.hookimpl
def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    parser.addoption(
        "--time-limit", type=float, metavar="SECONDS", help="skip the tests that would start later"
    )


@pytest.hookimpl
def pytest_configure(config: pytest.Config) -> None:
    """Starts the clock, in each worker of pytest-xdist too."""
    if limit := config.getoption("--time-limit"):
        config.pluginmanager.register(TimeLimit(limit))


class TimeLimit:
    """Skips the tests that would start `seconds` after it was made."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = monotonic() + seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Called by pytest before each test and its fixtures."""
        if monotonic() > self._end:
            pytest.skip(f"after the time limit of {self._seconds:g} s")
