"""The flags of mlc-translate: one per translation, and their options."""

from __future__ import annotations

from mlc.tools.command_line import Flag

# Translation -> "module:function"; the function takes the command line and the input's path, and writes
# the output.
TRANSLATIONS = {
    "mlir-to-cpp": "mlc.tools.translate.cpp.command:to_cpp",
    "import-onnx": "mlc.tools.translate.import_onnx:import_onnx",
    "mlir-to-llvmir": "mlc.tools.translate.export:to_llvm_ir",
    "mlir-to-obj": "mlc.tools.translate.export:to_object",
}

FLAGS = (
    Flag("help", "show this help"),
    Flag("version", "show versions"),
    Flag("import-onnx", "ONNX model to a module of the graph dialect"),
    Flag("mlir-to-cpp", "straight-line functions of the emitc dialect to C++"),
    Flag("mlir-to-llvmir", "module of the llvm dialect to LLVM IR text"),
    Flag("mlir-to-obj", "module of the llvm dialect to an object file"),
    Flag("o", "write the result to a file instead of stdout", "file"),
    Flag("dim", "fix a dynamic dim of an ONNX model, e.g. batch=1", "name=number", repeated=True),
    Flag("shape", "give an input's shape, e.g. x:1x3x224x224 (-1 keeps a dim)", "input:dims", repeated=True),
    Flag("mlir-print-debuginfo", "print locations: the names of ONNX nodes"),
    Flag("target-cpu", "processor of --mlir-to-obj (default host)", "cpu"),
)
