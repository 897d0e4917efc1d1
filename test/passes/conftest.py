"""Makes the helpers of these folders and the random graphs importable."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
TEST = HERE.parent
HELPERS = ("evaluator", "graph/simplify", "graph/control_flow", "host/memory")
sys.path[:0] = [
    str(HERE),
    *(str(HERE / folder) for folder in HELPERS),
    str(TEST / "numerics"),
    str(TEST / "numerics" / "random_cases"),
    str(TEST / "frontends" / "onnx"),
]
