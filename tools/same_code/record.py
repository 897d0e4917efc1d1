"""The recorded hashes: a sorted text file, a line per subject and target and a line per kernel and target."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

# (subject, target) or (key of a kernel, target) -> hash by stage. Kernels of a subject are a stage "code",
# their sorted keys.
Hashes = dict[tuple[str, str], dict[str, str]]
CODE = "code"
_LINE = re.compile(r"(subject|kernel) (\S+) (\S+)((?: \w+=[\w,]*)*)")


@dataclass
class Record:
    """Hashes by stage: `subjects` by name and target, `kernels` by key and target."""

    subjects: Hashes = field(default_factory=dict)
    kernels: Hashes = field(default_factory=dict)

    def updated(self, new: Record, keep_others: bool) -> Record:
        """This record with the entries of `new` in the place of its own; of other subjects only with
        `keep_others`. Kernels that no subject has are left out."""
        subjects = (self.subjects if keep_others else {}) | new.subjects
        used = {
            (key, target)
            for (_, target), stages in subjects.items()
            for key in stages.get(CODE, "").split(",")
        }
        kernels = {name: stages for name, stages in (self.kernels | new.kernels).items() if name in used}
        return Record(subjects, kernels)


def read_record(path: Path) -> Record:
    """The record in a file; an empty one if there is none. Raises ValueError for what is no record."""
    record = Record()
    if not path.exists():
        return record
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"{path}:{number}: expected 'subject|kernel NAME TARGET STAGE=HASH...'")
        what, name, target, stages = match.groups()
        hashes = record.subjects if what == "subject" else record.kernels
        hashes[name, target] = dict(stage.split("=") for stage in stages.split())
    return record


def write_record(path: Path, record: Record) -> None:
    """Writes a record, sorted."""
    lines = [
        " ".join([what, name, target, *(f"{stage}={value}" for stage, value in stages.items())])
        for what, hashes in (("kernel", record.kernels), ("subject", record.subjects))
        for (name, target), stages in hashes.items()
    ]
    path.write_text("".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8")


def differences(
    old: Record, new: Record, names: Mapping[str, str], messages: Mapping[tuple[str, str], str]
) -> Iterator[str]:
    """What differs in the entries of `new`, a line each; `names` are those of kernels by key, `messages` say
    why what failed did."""
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
            name for (name, of), each in new.subjects.items() if of == target and key in each.get(CODE, "")
        ]
        where = ", ".join(sorted(subjects)[:3])
        what = f"{', '.join(changed)}; of {where}{_why(messages, key, target)}"
        yield f"kernel {names.get(key, '')} ({key}) for {target}: {what}"


def _why(messages: Mapping[tuple[str, str], str], name: str, target: str) -> str:
    message = messages.get((name, target), "").splitlines()
    return f": {message[0]}" if message else ""


def _kernels_changed(before: Mapping[str, str], stages: Mapping[str, str], names: Mapping[str, str]) -> str:
    counts = [Counter(each.get(CODE, "").split(",")) for each in (before, stages)]
    gone, new = counts[0] - counts[1], counts[1] - counts[0]
    shown = ", ".join(f"{names.get(key, '')} ({key})" for key in sorted(new) if key)
    return f"{gone.total()} are gone, {new.total()} are new" + (f": {shown}" if shown else "")
