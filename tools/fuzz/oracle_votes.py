"""Decides by majority of the oracles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mlc.tools.fuzz.comparison import difference

Outputs = Sequence[np.ndarray]


@dataclass(frozen=True)
class Vote:
    """The result of a vote. `outcome` is "decided", with the oracles that agree and the outputs of the first;
    "undecided", with the reason; or "none": no oracle answered."""

    outcome: str
    winners: tuple[str, ...] = ()
    outputs: Outputs = ()
    reason: str = ""


def vote(answers: Mapping[str, Outputs]) -> Vote:
    """Returns the plurality of the answers: more than for any other answer. One alone decides."""
    if not answers:
        return Vote("none")
    groups: list[list[str]] = []
    for name, outputs in answers.items():
        group = next((same for same in groups if not difference(answers[same[0]], outputs)), None)
        if group is None:
            groups.append([name])
        else:
            group.append(name)
    groups.sort(key=len, reverse=True)
    if len(groups) > 1 and len(groups[0]) == len(groups[1]):
        first, second = groups[0][0], groups[1][0]
        text = difference(answers[first], answers[second])
        return Vote("undecided", reason=f"{second} differs from {first}: {text}")
    return Vote("decided", tuple(groups[0]), answers[groups[0][0]])
