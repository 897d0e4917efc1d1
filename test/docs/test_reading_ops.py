"""The examples of docs/reading-ops.md hold."""

import re
from pathlib import Path
from typing import Any

_PAGE = Path(__file__).parents[2] / "docs" / "reading-ops.md"


def test_examples_run() -> None:
    blocks = re.findall(r"```python\n(.*?)```", _PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 4
    namespace: dict[str, Any] = {}
    for block in blocks:
        exec(block, namespace)
