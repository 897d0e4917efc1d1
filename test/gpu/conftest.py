"""The emulator and the kernels that are run in it are packages of this folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
