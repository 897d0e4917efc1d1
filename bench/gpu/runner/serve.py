"""Starts a worker in a folder of artefacts, which is not installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from bench.gpu.runner.worker import main

sys.exit(main())
