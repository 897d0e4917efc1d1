"""Verifies and times cases in a separate process: requests come as lines of JSON, answers go to a pipe.

The command line is the folder and the descriptor of the pipe.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.gpu.runner.loading import load_case
from bench.gpu.runner.manifest import CasesManifest, GpuCase, read_manifest
from bench.gpu.runner.table import APART, NAME
from bench.gpu.runner.timing import Clock, Times
from mlc.runtime.cuda import CudaError, Device, Program, Stream
from mlc.runtime.cuda.plan.launch_overlap import can_overlap

Send = Callable[[dict[str, Any]], None]


class GpuWorker:
    """One device, one library of tensors, and the cases of a folder."""

    def __init__(self, root: Path, send: Send) -> None:
        self.root, self._send = root, send
        self.manifest: CasesManifest = read_manifest(root)
        self.device = Device()
        self.library, self.peers = _libraries(self.device)
        self.stream = Stream(self.device)

    def about(self) -> dict[str, Any]:
        """Returns the device, the libraries, and whether launches of kernels can overlap."""
        versions = self.peers.versions() if self.peers else {}
        overlap = can_overlap(self.device)
        return {"device": self.device.description, "libraries": versions, "overlap": overlap}

    def is_broken(self) -> bool:
        """Whether the device is unusable, as it is after a kernel that failed."""
        try:
            self.device.synchronize()
        except CudaError:
            return True
        return False

    def verify(self, case: GpuCase) -> dict[str, Any]:
        """Returns the error of each output, and whether all are in the case's tolerance."""
        loaded = load_case(self.root, case, self.library, self.device)
        with loaded.program:
            found = self.library.run(loaded.program, list(loaded.inputs.values()))
        expected = loaded.expected_outputs(self.library)
        errors = [self.library.error(*pair) for pair in zip(found, expected, strict=True)]
        # Not "any(error > ...)": NaN must fail.
        return {"errors": errors, "verified": all(error <= case.tolerance for error in errors)}

    def measure(self, case: GpuCase, seconds: float) -> dict[str, Any]:
        """Returns the times of the program, for models also without overlapping launches, and of its peers.
        Peers without a compiler are timed and sent first, in case that the others take too long."""
        begin = time.monotonic()
        loaded = load_case(self.root, case, self.library, self.device)
        # Waits for drawn tensors on any stream.
        self.device.synchronize()
        clock = Clock(self.device, self.stream, self.peers.hold if self.peers else None)
        uploaded = [self.library.upload(value) for value in loaded.inputs.values()]
        with ExitStack() as programs:
            ours = {NAME: programs.enter_context(loaded.program)}
            if case.group == "model" and loaded.overlaps:
                ours[APART] = programs.enter_context(loaded.make(overlap=False))
            inputs = [tensor for tensor, _ in uploaded]
            calls = {name: self._call(program, inputs) for name, program in ours.items()}
            notes = {} if self.peers else {"peers": "torch or its GPU is missing: no peers are timed"}
            try:
                quick, slow = self.peers.of(loaded, self.stream) if self.peers else ({}, {})
                calls |= _make_calls(quick, notes)
                times = clock.measure(calls, case.work.cache == "cold", seconds * 0.1)
                self._send({"case": case.name, "times": _plain(times), "notes": notes})
                limit = begin + seconds * 0.6
                late = _make_calls(slow, notes, limit)
                if late:
                    left = begin + seconds - time.monotonic()
                    times = clock.measure(calls | late, case.work.cache == "cold", left * 0.3)
            finally:
                self.device.synchronize()
                clock.close()
        return {"times": _plain(times), "notes": notes}

    def _call(self, program: Program, inputs: list[Any]) -> Callable[[], object]:
        outputs = [self.library.upload(output)[0] for output in self.library.empty(program)]
        return lambda: program(*inputs, out=outputs, stream=self.stream.handle)


def _make_calls(
    makers: dict[str, Callable[[], Any]], notes: dict[str, str], limit: float | None = None
) -> dict[str, Callable[[], Any]]:
    """Makes the calls of peers; the reasons of failures are added to `notes`. None begins after `limit`."""
    made = {}
    for name, make in makers.items():
        if limit is not None and time.monotonic() > limit:
            notes[name] = "no time was left to compile it"
            continue
        try:
            call = make()
            call()
        except Exception as error:
            notes[name] = first_line(error)
        else:
            made[name] = call
    return made


def _plain(times: dict[str, Times]) -> dict[str, Any]:
    return {name: entry.as_dict() for name, entry in times.items()}


def first_line(error: BaseException) -> str:
    """Returns an exception as a note."""
    text = str(error).strip()
    return f"{type(error).__name__}: {text.splitlines()[0][:300] if text else ''}"


def _libraries(device: Device) -> tuple[Any, Any]:
    """Returns the library of tensors, and the peers, None without torch and its GPU."""
    try:
        import torch
    except ImportError:
        from bench.gpu.runner.on_numpy import NumpyLibrary

        return NumpyLibrary(device), None
    if not torch.cuda.is_available():
        from bench.gpu.runner.on_numpy import NumpyLibrary

        return NumpyLibrary(device), None
    from bench.gpu.runner.on_torch import TorchLibrary
    from bench.gpu.runner.peers import Peers

    return TorchLibrary(), Peers()


def serve(worker: GpuWorker, requests: Any, send: Send) -> None:
    """Answers requests until they end. An exception is an answer too; "broken" means that another worker has
    to continue."""
    cases = {case.name: case for case in worker.manifest.cases}
    for line in requests:
        request = json.loads(line)
        try:
            if request["do"] == "about":
                answer = worker.about()
            elif request["do"] == "verify":
                answer = worker.verify(cases[request["case"]])
            else:
                answer = worker.measure(cases[request["case"]], request["seconds"])
        except Exception as error:
            answer = {"error": first_line(error), "broken": worker.is_broken()}
        send({**answer, "end": True})


def main() -> int:
    """Serves the requests on standard input."""
    root, pipe = Path(sys.argv[1]), int(sys.argv[2])

    def send(answer: dict[str, Any]) -> None:
        """Writes an answer to the pipe."""
        os.write(pipe, json.dumps(answer).encode() + b"\n")

    try:
        worker = GpuWorker(root, send)
    except Exception as error:
        send({"error": first_line(error), "broken": True, "end": True})
        return 1
    serve(worker, sys.stdin, send)
    return 0
