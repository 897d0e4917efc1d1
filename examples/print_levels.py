"""Prints the IR of a small model at each level: graph, kernels, linalg, scheduled, loops, LLVM, assembly.

    python examples/print_levels.py [model.mlir | model.onnx] [kernel pattern]

`mlc compile model.onnx --dump-ir folder` writes the same files.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from mlc.compiler import Options
from mlc.compiler.dump import dump_ir

MODEL = """
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "graph.matmul"(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "graph.relu"(%0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
"""
LINES = 24


def main(folder: Path, arguments: list[str]) -> None:
    """Prints the first lines of each level."""
    if not arguments:
        Path(folder, "model.mlir").write_text(MODEL)
    model, pattern = [*arguments, *[str(folder / "model.mlir"), "*"][len(arguments) :]][:2]
    for path in dump_ir(model, Options(), folder / "levels", [pattern]):
        lines = path.read_text().splitlines()
        print(f"\n===== {path.relative_to(folder / 'levels')} ({len(lines)} lines) =====")
        print("\n".join(line[:120] for line in lines[:LINES]))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary), sys.argv[1:])
