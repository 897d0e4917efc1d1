"""The search: no step makes the text longer, and the shortest interesting text is the result."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from mlc.tools.reduce.candidates import Workshop
from mlc.tools.reduce.document import read_document
from mlc.tools.reduce.oracle import Condition, Oracle
from mlc.tools.reduce.reducer import Reducer

_OPS = ("addi", "muli", "subi", "xori")


def program(chance: random.Random) -> str:
    """A function of arithmetic, written in the fewest characters."""
    lines = ["func.func @f(%a:i32)->i32 {"]
    values = ["%a"]
    for index in range(4):
        left, right = chance.choice(values), chance.choice(values)
        lines.append(f"%{index}=arith.{chance.choice(_OPS)} {left},{right}:i32")
        values.append(f"%{index}")
    return "\n".join([*lines, f"return {values[-1]}:i32", "}", ""])


@pytest.mark.parametrize("seed", range(2))
def test_nothing_grows(seed: int, tmp_path: Path) -> None:
    text = program(random.Random(seed))
    wanted = re.search(r"arith\.\w+", text)
    assert wanted is not None
    kept: list[str] = []
    oracle = Oracle(["grep", "-q", wanted[0]], Condition(), jobs=2)
    reducer = Reducer(text, read_document("in.mlir", text), oracle, Workshop(), keep=kept.append)
    reducer.run()
    sizes = [len(kept_text) for kept_text in [text, *kept]]
    assert sizes == sorted(sizes, reverse=True)
    assert wanted[0] in reducer.smallest
    assert len(reducer.smallest) <= len(text)
