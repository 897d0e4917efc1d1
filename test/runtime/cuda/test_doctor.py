"""The checks of GPUs by `mlc doctor`."""

from pathlib import Path
from typing import Any

import pytest

from mlc.runtime.cuda.driver import library as driver_module
from mlc.runtime.cuda.driver.library import VARIABLE
from mlc.tools.mlc.commands.doctor_checks import CHECKS, CheckResult


def test_devices(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_DEVICES", "2")
    text = "Stub {}, compute capability 9.0, 132 multiprocessors, 1.0 GiB"
    assert CHECKS["GPU"]() == [
        CheckResult("CUDA driver", "ok", f"CUDA 12.8, {stub.path}"),
        CheckResult("GPU 0", "ok", text.format(0)),
        CheckResult("GPU 1", "ok", text.format(1)),
    ]
    # Looking takes no context, and so no memory of the device.
    assert stub.calls("cuDevicePrimaryCtxRetain") == 0


def test_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(driver_module, "CANDIDATES", ("libnowhere.so.1",))
    monkeypatch.setattr(driver_module, "_loaded", {})
    text = "no CUDA driver: GPU programs compile here, but do not run"
    assert CHECKS["GPU"]() == [CheckResult("GPU", "absent", text)]


def test_the_driver_that_was_named_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/nowhere/libcuda.so")
    [finding] = CHECKS["GPU"]()
    assert finding.state == "warning" and VARIABLE in finding.detail


def test_no_device(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_DEVICES", "0")
    [finding] = CHECKS["GPU"]()
    assert finding.state == "absent" and "no CUDA-capable device is detected" in finding.detail


def test_old_driver(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_VERSION", "10020")
    [finding] = CHECKS["GPU"]()
    assert finding.state == "warning" and "supports CUDA 10.2 only" in finding.detail


@pytest.mark.slow
def test_a_command_line(stub: Any, tmp_path: Path) -> None:
    """Runs in a separate process, as users run it."""
    import json
    import subprocess
    import sys

    command = [sys.executable, "-P", "-m", "mlc.tools.mlc.main", "doctor", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "GPU 0" in {check["name"] for check in json.loads(done.stdout)["checks"]}
