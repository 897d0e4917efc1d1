"""Options in messages: as Python and as the command line write them."""

from __future__ import annotations

from mlc.frontends.option_names import (
    dims_option,
    entry,
    named_as_flags,
    option_name,
    shape_option,
    specialise_option,
)


def names() -> list[str]:
    sizes = {"n": 1, "m": 2}
    shapes = (shape_option("x", ["?", 4]), shape_option("x"))
    return [
        *(option_name("shapes"), entry("dims", "n")),
        *(dims_option(sizes), *shapes, specialise_option(sizes)),
    ]


def test_options_are_flags_only_on_the_command_line() -> None:
    arguments = [
        *("shapes", "dims['n']", "dims={'n': 1, 'm': 2}", "shapes={'x': [?, 4]}", "shapes={'x': ...}"),
        "specialise=[{'n': 1, 'm': 2}]",
    ]
    assert names() == arguments
    with named_as_flags():
        flags = ["--shape", "--dim n", "--dim n=1 --dim m=2", "--shape x:?x4", "--shape x:..."]
        assert names() == [*flags, "--specialise n=1,m=2"]
    assert names() == arguments
