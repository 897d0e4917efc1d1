"""Objects from LLVM IR text."""

from typing import Any

import llvmlite.binding as llvm

TRIPLE = "x86_64-unknown-linux-gnu"
TARGET: dict[str, Any] = {"triple": TRIPLE, "cpu": "x86-64", "features": []}
"""The target of these objects in manifests."""


def pointers(*names: str) -> str:
    """The lines of an entry that load the first of its `%buffers` under these names."""
    return "\n".join(
        f"  %at_{name} = getelementptr ptr, ptr %buffers, i64 {index}\n  %{name} = load ptr, ptr %at_{name}"
        for index, name in enumerate(names)
    )


def compile_ir(text: str, features: str = "") -> bytes:
    """The relocatable object of a module, as the code generator makes it (PIC, small code model)."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(f'target triple = "{TRIPLE}"\n{text}')
    module.verify()
    target = llvm.Target.from_triple(TRIPLE)
    machine = target.create_target_machine(
        cpu="x86-64", features=features, opt=2, reloc="pic", codemodel="small"
    )
    return machine.emit_object(module)
