"""The zoo: models as people deploy them, which the compiler was not tuned for.

Trained models come out of packages (`trained.toml`); architectures with seeded weights from exporters
(`exports/`). Each is compiled, compared with ONNX Runtime at several sizes of its inputs, and timed.
`large_model` generates one larger than memory.
"""
