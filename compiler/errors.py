"""The error that users of the compiler see."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.errors import Error


class CompileError(Error):
    """A model cannot be compiled. `message` is complete, `notes` are further lines: the kernel and its ONNX
    nodes, a reproducer's path. `causes` are the errors of single kernels where there are several."""

    def __init__(self, message: str, notes: Sequence[str] = (), causes: Sequence[CompileError] = ()) -> None:
        super().__init__("\n".join([message, *notes]))
        self.message = message
        self.notes = tuple(notes)
        self.causes = tuple(causes)
