"""Rows whose distance is a power of two share few sets of the L2 cache."""

from __future__ import annotations

import pytest

from mlc.passes.schedule.cpu.attention import stays_in_l2
from mlc.targets import NAMED


@pytest.mark.parametrize(
    ("rows", "stride", "stays"),
    [
        # The stride of 12 heads of 64 elements is 3 KB, which is 3 times 1 KB; of 8 heads 2 KB, of 16 heads 4
        # KB.
        (512, 3072, True),
        (1024, 3072, False),
        (197, 3072, True),
        (256, 2048, True),
        (512, 2048, False),
        (128, 4096, True),
        (256, 4096, False),
        (1024, 256, True),
    ],
)
def test_a_megabyte_of_sixteen_ways(rows: int, stride: int, stays: bool) -> None:
    target = NAMED["x86-64-v4"]
    assert target.l2 == 1 << 20
    assert stays_in_l2(rows, stride, target) == stays
