"""Makes the case modules of this folder, and the evaluator of graphs, importable."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "passes" / "evaluator")]
