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
# Digits of hashes of stages; keys of kernels, which identify them, have more.
STAGE_DIGITS = 6
# Seconds per job, for machines that are busy.
TIMEOUT = 3600.0
# Texts that are for users, or recorded as a key.
UNHASHED = ("source", "message")


class Run:
    """Compiles subjects and their kernels, each kernel once per target, and hashes the texts.

    `scratch` is a folder for files, `root` that of the model set's builders; the texts are written to the
    folder `keep`, if given.
    """

    def __init__(self, scratch: Path, root: Path, keep: Path | None) -> None:
        self.scratch = scratch
        self.root = root
        self.keep = keep
        self.record = Record()
        # Names of kernels by key. Causes of failed compilations by subject or key, and target.
        self.names: dict[str, str] = {}
        self.messages: dict[tuple[str, str], str] = {}

    def compile(self, chosen: list[tuple[Subject, str]], jobs: int) -> None:
        """Compiles the chosen subjects and fills `record`."""
        done: SimpleQueue[Future[Any]] = SimpleQueue()
        subject_of: dict[Future[Any], tuple[str, str]] = {}
        kernel_of: dict[Future[Any], tuple[str, str]] = {}
        with WorkerPool(jobs, preload=[MODULE]) as pool:

            def submit(job: str, payload: dict[str, Any]) -> Future[Any]:
                """Submits a job whose result is put into the queue."""
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
                for kernel in self._record_stages(name, target, result):
                    kernel_of[submit("code_job", kernel)] = (kernel["key"], target)

    def _record_stages(self, name: str, target: str, result: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Records the stages, and returns the kernels that are new."""
        hashes = self._hashes(name, target, result["texts"])
        if result["kernels"]:
            hashes[CODE] = ",".join(sorted(kernel["key"] for kernel in result["kernels"]))
        self.record.subjects[name, target] = hashes
        new = {
            kernel["key"]: kernel
            for kernel in result["kernels"]
            if (kernel["key"], target) not in self.record.kernels
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
    """Returns a job's result, or a failure if LLVM ended its process."""
    try:
        return future.result()
    except CodegenError as error:
        return {"texts": {failed_stage: FAILED, "message": str(error)}, "kernels": []}
