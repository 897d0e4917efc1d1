"""Makes the helpers of this folder and the random graphs importable."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
TEST = HERE.parent
sys.path[:0] = [str(HERE), str(TEST / "numerics"), str(TEST / "frontends" / "onnx")]
