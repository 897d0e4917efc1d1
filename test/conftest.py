"""Setup of all tests: the handler of Ctrl-C, a cache for this run, fewer objects for garbage collection."""

import gc
import os
import shutil
import signal
import tempfile

import pytest

# A shell that starts a job in the background, as some CI systems do, has it ignore Ctrl-C. The processes that
# tests start would inherit that; those that test Ctrl-C need the usual handler.
signal.signal(signal.SIGINT, signal.default_int_handler)

_CACHE = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Gives the run a private cache of compiled code, which pytest-xdist's workers inherit and share. What
    fails inside the compiler is an error: elsewhere a plainer program would hide it."""
    os.environ["MLC_STRICT"] = "1"
    if not hasattr(config, "workerinput"):
        config.stash[_CACHE] = os.environ["MLC_CACHE_DIR"] = tempfile.mkdtemp(prefix="mlc-test-cache-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Removes the cache, in the process that made it."""
    if folder := config.stash.get(_CACHE, None):
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_finish() -> None:
    """Hides what is loaded from the garbage collector, which would visit it at each collection."""
    gc.collect()
    gc.freeze()
