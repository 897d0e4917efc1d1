"""Mutations of command lines: values that are missing or wrong, flags that contradict each other."""

from __future__ import annotations

from random import Random

from mutation_seeds import INPUT

from mlc.tools.opt.flags import FLAGS as OPT_FLAGS
from mlc.tools.translate.flags import FLAGS as TRANSLATE_FLAGS

# Not drawn: without the guard a crash is the process's own, and the limit is the runner's.
_LEFT_OUT = ("mlc-isolate", "mlc-step-timeout", "mlc-traceback")
# fmt: off
_VALUES = (
    "", "0", "-1", "1", "true", "false", "maybe", "99999999999999999999", "result.mlir",
    "no/such/folder/file", ".", "/dev/null", "/dev/full", INPUT, "all", "only-expected", "list", "tree",
    "json", "canonicalize", "canonicalize,cse", "no-such-pass", "[", "(", ".*", "builtin.module(cse)",
    "cse", "// -----", "x", "\udcff\udcfe", "\u00e9", "a" * 5000, "x86_64-linux-gnu", "sm_90", "skylake",
    "x=1", "x:1x2", "errors",
)
# fmt: on


def random_flag(random: Random, tool: str) -> str:
    """A flag of `tool`, with a value or without one, whatever it needs."""
    flags = OPT_FLAGS if tool == "mlc-opt" else TRANSLATE_FLAGS
    flag = random.choice([flag for flag in flags if flag.name not in _LEFT_OUT])
    dashes, shape = random.choice(("--", "--", "-")), random.random()
    name = flag.name if random.random() < 0.95 else flag.name[:-1]
    if shape < (0.2 if flag.value else 0.7):
        return f"{dashes}{name}"
    return f"{dashes}{name}={random.choice(_VALUES)}"


def mutate_flags(random: Random, tool: str, arguments: list[str]) -> list[str]:
    """`arguments` with flags put in, left out, repeated or in another order."""
    changed = list(arguments)
    for _ in range(random.choice((1, 2, 2, 3, 5))):
        at = random.randint(0, len(changed))
        what = random.random()
        if what < 0.7 or not changed:
            changed.insert(at, random_flag(random, tool))
        elif what < 0.8:
            del changed[random.randrange(len(changed))]
        elif what < 0.9:
            changed.insert(at, random.choice(changed))
        else:
            random.shuffle(changed)
    return changed
