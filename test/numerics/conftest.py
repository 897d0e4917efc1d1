"""Makes the helpers of this folder, the importer's cases, the evaluator of graphs, the GPU emulator and
`bench` importable."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
PATHS = (
    HERE,
    HERE.parent / "frontends" / "onnx",
    HERE.parent / "passes",
    HERE.parent / "gpu",
    HERE.parents[1],
)
sys.path[:0] = [str(path) for path in PATHS]
