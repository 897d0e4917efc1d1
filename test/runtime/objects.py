"""Objects from LLVM IR text."""

import llvmlite.binding as llvm

TRIPLE = "x86_64-unknown-linux-gnu"


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
