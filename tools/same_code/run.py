"""Compiles all subjects in worker processes."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from mlc.codegen.errors import CodegenError
from mlc.codegen.pool import WorkerPool
from mlc.tools.same_code.compile import FAILED
from mlc.tools.same_code.normalise import hash_of
from mlc.tools.same_code.record import CODE, CODE_STAGES, STAGES, Record
from mlc.tools.same_code.subjects import Subject

MODULE = "mlc.tools.same_code.compile"
# Of hashes of stages; keys of kernels, which are told apart by them, have more.
STAGE_DIGITS = 6
# Of a job, in seconds, for machines that are busy.
TIMEOUT = 3600.0
# Texts that are for people, or recorded as a key.
UNHASHED = ("source", "message")


class Run:
    """Compiles subjects and their kernels, each kernel once per target, and hashes the texts.

    `scratch` is a folder for files, `root` that of the model set's builders; the texts go into the folder
    `keep`, if there is one.
    """

    def __init__(self, scratch: Path, root: Path, keep: Path | None) -> None:
        self.scratch = scratch
        self.root = root
        self.keep = keep
        self.record = Record()
        # Of kernels by key: their names. Why compilations failed, by subject or key, and target.
        self.names: dict[str, str] = {}
        self.messages: dict[tuple[str, str], str] = {}

    def compile(self, chosen: list[tuple[Subject, str]], jobs: int) -> None:
        """Fills `record`."""
        done: SimpleQueue[Future[Any]] = SimpleQueue()
        subject_of: dict[Future[Any], tuple[str, str]] = {}
        kernel_of: dict[Future[Any], tuple[str, str]] = {}
        with WorkerPool(jobs, preload=[MODULE]) as pool:

            def submit(job: str, payload: dict[str, Any]) -> Future[Any]:
                future = pool.submit(f"{MODULE}:{job}", payload, TIMEOUT)
                future.add_done_callback(done.put)
                return future

            for subject, target in chosen:
                payload = {"subject": asdict(subject), "target": target, "folder": str(self.scratch)}
                payload["root"] = str(self.root)
                subject_of[submit("stages_job", payload)] = (subject.name, target)
            while subject_of or kernel_of:
                future = done.get()
                result = _result(future, CODE_STAGES[0] if future in kernel_of else STAGES[0])
                if future in kernel_of:
                    key, target = kernel_of.pop(future)
                    self.record.kernels[key, target] = self._hashes(key, target, result["texts"])
                    continue
                name, target = subject_of.pop(future)
                for kernel in self._staged(name, target, result):
                    kernel_of[submit("code_job", kernel)] = (kernel["key"], target)

    def _staged(self, name: str, target: str, result: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Records the stages, and returns the kernels that are new."""
        hashes = self._hashes(name, target, result["texts"])
        if result["kernels"]:
            hashes[CODE] = ",".join(sorted(kernel["key"] for kernel in result["kernels"]))
        self.record.subjects[name, target] = hashes
        new = {
            each["key"]: each
            for each in result["kernels"]
            if (each["key"], target) not in self.record.kernels
        }
        for key, kernel in new.items():
            self.names[key] = kernel["symbols"][0]
            self.record.kernels[key, target] = {}
        return list(new.values())

    def _hashes(self, name: str, target: str, texts: Mapping[str, str]) -> dict[str, str]:
        if "message" in texts:
            self.messages[name, target] = texts["message"]
        if self.keep:
            folder = self.keep / (name if "/" in name else f"kernels/{name}") / target
            folder.mkdir(parents=True, exist_ok=True)
            for stage, text in texts.items():
                (folder / f"{stage}.txt").write_text(text, encoding="utf-8", errors="surrogateescape")
        return {stage: hash_of(text, STAGE_DIGITS) for stage, text in texts.items() if stage not in UNHASHED}


def _result(future: Future[Any], failed_stage: str) -> Mapping[str, Any]:
    """A job's result; of one whose process LLVM ended, that it failed."""
    try:
        return future.result()
    except CodegenError as error:
        return {"texts": {failed_stage: FAILED, "message": str(error)}, "kernels": []}
