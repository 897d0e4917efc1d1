"""Makes the helpers of this folder, the importer's cases and `bench` importable."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "frontends" / "onnx"), str(HERE.parents[1])]
