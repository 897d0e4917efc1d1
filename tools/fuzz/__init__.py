"""The differential fuzzer: mutated ONNX models, compiled and compared with what several oracles say."""
