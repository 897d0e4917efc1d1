"""The file run.py of a folder of artefacts: `python run.py [--seconds N] [--only PATTERN] [--json FILE]`."""

import sys
from pathlib import Path

from bench.gpu.runner.run import main

sys.exit(main(None, Path(__file__).resolve().parent))
