"""The stub driver, compiled once and loaded again for each test, which must release all its resources."""

import gc
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlc.runtime.cuda import Device
from mlc.runtime.cuda.driver.library import VARIABLE

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from cuda_stub import Stub, copy_map, multiply, shift  # noqa: E402


@pytest.fixture(scope="session")
def stub_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (cc) to build the stub driver")
    library = tmp_path_factory.mktemp("stub") / "libcuda_stub.so"
    flags = ("-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden")
    subprocess.run([compiler, *flags, *sorted((HERE / "stub").glob("*.c")), "-o", library], check=True)
    return library


@pytest.fixture
def stub(stub_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    path = tmp_path / "libcuda.so.1"
    shutil.copy(stub_library, path)
    monkeypatch.setenv(VARIABLE, str(path))
    made = Stub(path)
    made.kernel("multiply", multiply)
    made.kernel("shift", shift)
    made.kernel("copy_map", copy_map)
    yield made
    for variable in ("FAIL", "DEVICES", "VERSION", "MEMORY", "CAPABILITY"):
        monkeypatch.delenv(f"MLC_STUB_{variable}", raising=False)
    gc.collect()
    assert made.live() == {}
    assert made.library.mlc_stub_depth() == 0


@pytest.fixture
def device(stub: Stub) -> Iterator[Device]:
    with Device() as made:
        yield made
        gc.collect()
        assert stub.live() == {"context": 1}
