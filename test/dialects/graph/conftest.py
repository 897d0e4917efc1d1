import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlc.bindings import ir
from mlc.dialects import create_context

# The tests import their helpers by name.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def context() -> Iterator[None]:
    """A context and a location to build ops in."""
    with create_context(), ir.Location.unknown():
        yield
