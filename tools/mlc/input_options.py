"""The options that give a model's inputs, of the commands that run it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from mlc.tools.mlc.option_types import FilePath
from mlc.tools.mlc.session import R


class _LazyIntRange(click.ParamType):
    """A wrapper of `inputs.IntRange`, which is imported when needed as it needs NumPy."""

    name = "low:high"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Returns the bounds."""
        from mlc.tools.mlc.inputs import IntRange

        return IntRange().convert(value, param, ctx)


_OPTIONS = (
    click.option(
        "--input",
        "files",
        multiple=True,
        metavar="NAME=FILE",
        help="An input from a .npy or .npz file.",
    ),
    click.option("--inputs", "archive", type=FilePath(), metavar="FILE.npz", help="Inputs by name."),
    click.option(
        "--random-seed",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Seed of the inputs that are not given.",
    ),
    click.option(
        "--int-range",
        type=_LazyIntRange(),
        metavar="LOW:HIGH",
        help="Random integers (default 0:10, or 1:10 where integers are divisors).",
    ),
)


def input_options(function: Callable[..., R]) -> Callable[..., R]:
    """Adds the options; the command gets `files` and `archive` for `inputs.read_inputs`, and `random_seed`
    and `int_range`, None without the option, for `inputs.random_inputs`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
