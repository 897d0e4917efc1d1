"""The emulator and the kernels that are run in it are packages of this folder."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(path) for path in (HERE, HERE / "emulation", HERE / "machine_code")]
