"""The option of `accel-distribute` names the processors that there are."""

from __future__ import annotations

from mlc.passes.accel.distribution.architectures import ARCHITECTURES
from mlc.passes.accel.distribution.distribute import Distribute


def test_each_architecture_can_be_asked_for() -> None:
    (arch,) = Distribute.options()
    assert arch.choices == tuple(ARCHITECTURES)
