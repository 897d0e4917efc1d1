"""Reads, writes and compares recorded hashes: a sorted text file, a line per kernel and per subject and
target.

    kernel KEY TARGET=LLVM/LL/ASM...
    subject NAME TARGET IMPORT/OPTIMIZE/LOWER/KERNELS/PLAN KEY,KEY...

A subject that failed to compile has fewer hashes, the last one that of a failure, and no kernels.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

# (subject, target) or (key of a kernel, target) -> hash by stage. Kernels of a subject are a stage "code",
# their sorted keys.
Hashes = dict[tuple[str, str], dict[str, str]]
CODE = "code"
# Stages by position: pipelines may be renamed. After all of them the module is split into kernels.
STAGES = ("import", "optimize", "lower", "kernels", "plan", "split")
CODE_STAGES = ("llvm", "ll", "asm")
_LINE = re.compile(r"kernel (\w+)((?: \w+=[\w/]+)+)|subject (\S+) (\w+) ([\w/]+)(?: ([\w,]+))?")


@dataclass
class Record:
    """Hashes by stage: `subjects` by name and target, `kernels` by key and target."""

    subjects: Hashes = field(default_factory=dict)
    kernels: Hashes = field(default_factory=dict)

    def update(self, new: Record, keep_others: bool) -> Record:
        """Returns this record with its entries replaced by those of `new`; other subjects are kept only with
        `keep_others`. Kernels without a subject are left out."""
        subjects = (self.subjects if keep_others else {}) | new.subjects
        used = {
            (key, target)
            for (_, target), stages in subjects.items()
            for key in stages.get(CODE, "").split(",")
        }
        kernels = {name: stages for name, stages in (self.kernels | new.kernels).items() if name in used}
        return Record(subjects, kernels)


def read_record(path: Path) -> Record:
    """Reads the record in a file; an empty one if there is no file. Raises ValueError for other files."""
    record = Record()
    if not path.exists():
        return record
    for line_number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"{path}:{line_number}: expected a kernel or a subject, got {line[:40]!r}")
        key, by_target, subject, target, hashes, keys = match.groups()
        if subject:
            record.subjects[subject, target] = _by_stage(STAGES, hashes) | ({CODE: keys} if keys else {})
        for entry in (by_target or "").split():
            target, _, hashes = entry.partition("=")
            record.kernels[key, target] = _by_stage(CODE_STAGES, hashes)
    return record


def _by_stage(stages: tuple[str, ...], hashes: str) -> dict[str, str]:
    return dict(zip(stages, hashes.split("/"), strict=False))


def write_record(path: Path, record: Record) -> None:
    """Writes a record, sorted."""
    kernels: defaultdict[str, list[str]] = defaultdict(list)
    for (key, target), stages in sorted(record.kernels.items()):
        kernels[key].append(f"{target}={'/'.join(stages.values())}")
    lines = [f"kernel {key} {' '.join(entries)}\n" for key, entries in kernels.items()]
    for (name, target), stages in sorted(record.subjects.items()):
        hashes = "/".join(value for stage, value in stages.items() if stage != CODE)
        lines.append(" ".join(["subject", name, target, hashes, *filter(None, [stages.get(CODE)])]) + "\n")
    path.write_text("".join(lines), encoding="utf-8")


def differences(
    old: Record, new: Record, names: Mapping[str, str], messages: Mapping[tuple[str, str], str]
) -> Iterator[str]:
    """Yields a line for each entry of `new` that differs; `names` are those of kernels by key, `messages` the
    causes of failures."""
    for (subject, target), stages in sorted(new.subjects.items()):
        before = old.subjects.get((subject, target))
        if before is None:
            yield f"{subject} for {target}: not recorded"
            continue
        changed = [stage for stage in stages | before if stages.get(stage) != before.get(stage)]
        if plain := [stage for stage in changed if stage != CODE]:
            yield f"{subject} for {target}: stage {', '.join(plain)}{_why(messages, subject, target)}"
        if CODE in changed:
            yield f"{subject} for {target}: kernels: {_kernels_changed(before, stages, names)}"
    for (key, target), stages in sorted(new.kernels.items()):
        before = old.kernels.get((key, target))
        if before is None or before == stages:
            continue
        changed = [stage for stage in stages | before if stages.get(stage) != before.get(stage)]
        subjects = [
            name
            for (name, other_target), hashes in new.subjects.items()
            if other_target == target and key in hashes.get(CODE, "")
        ]
        where = ", ".join(sorted(subjects)[:3])
        what = f"{', '.join(changed)}; of {where}{_why(messages, key, target)}"
        yield f"kernel {names.get(key, '')} ({key}) for {target}: {what}"


def _why(messages: Mapping[tuple[str, str], str], name: str, target: str) -> str:
    message = messages.get((name, target), "").splitlines()
    return f": {message[0]}" if message else ""


def _kernels_changed(before: Mapping[str, str], stages: Mapping[str, str], names: Mapping[str, str]) -> str:
    counts = [Counter(hashes.get(CODE, "").split(",")) for hashes in (before, stages)]
    gone, new = counts[0] - counts[1], counts[1] - counts[0]
    shown = ", ".join(f"{names.get(key, '')} ({key})" for key in sorted(new) if key)
    return f"{gone.total()} are gone, {new.total()} are new" + (f": {shown}" if shown else "")
