"""The runtime runs without the compiler, installed in a separate folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

import mlc
from mlc import runtime

PROGRAM = """
import sys
from pathlib import Path

runtime, numpy, model = sys.argv[1:]
# Only the standard library and NumPy are beside the runtime.
standard = [path for path in sys.path if "site-packages" not in path and not Path(path, "mlc").is_dir()]
sys.path[:] = [runtime, *standard, numpy]
import mlc
import numpy as np

[y] = mlc.load(model)(np.full((2, 3), -1.5, np.float32))
assert y.tolist() == [[0.0] * 3] * 2, y
assert mlc.runtime.__file__.startswith(runtime), mlc.runtime.__file__
missing = {"mlc.bindings", "mlc.compiler", "mlc.passes", "llvmlite", "torch_mlir"} & set(sys.modules)
assert not missing, missing
"""

RELU = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = "graph.relu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
"""


def test_runtime_runs_without_the_compiler(tmp_path: Path) -> None:
    model = tmp_path / "relu.mlir"
    model.write_text(RELU)
    mlc.compile(model, threads=1).save(tmp_path / "relu.mlcx")
    package = Path(mlc.__file__).parent
    first = tmp_path / "runtime"
    shutil.copytree(Path(runtime.__file__).parent, first / "mlc" / "runtime")
    for name in ("__init__.py", "errors.py", "threads.py", "version.py"):
        shutil.copy(package / name, first / "mlc" / name)
    numpy = tmp_path / "numpy"
    numpy.mkdir()
    for source in Path(np.__file__).parent.parent.glob("numpy*"):
        (numpy / source.name).symlink_to(source)
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, first, numpy, tmp_path / "relu.mlcx"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
