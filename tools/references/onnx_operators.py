"""The page docs/operators.md: the ONNX operators that the front end imports, their opsets and limits.

The columns about tests count ONNX's own cases, as docs/conformance.md does, and the test files that name the
operator; the column of types shortens what the operator's schema allows.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import onnx

from mlc.dialects.graph.ops.runtime_functions import FUNCTIONS
from mlc.dialects.graph.spec import specs
from mlc.frontends.onnx.registry import OperatorFunction, Registration, registrations
from mlc.passes.lowering import graph_to_linalg
from mlc.tools.references.markdown import table

_SHORT = {"float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16"}

# The larger of two groups with common members comes first.
_GROUPS = (
    ("floats", "f16 bf16 f32 f64"),
    ("ints", "i8 i16 i32 i64 ui8 ui16 ui32 ui64"),
    ("small ints", "i2 i4 ui2 ui4"),
    ("f8", "float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz float8e8m0"),
    ("f8", "float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz"),
    ("f6", "float6e2m3 float6e3m2"),
    ("f4", "float4e2m1"),
    ("complex", "complex64 complex128"),
)


def element_types(domain: str, name: str, opset: int) -> str:
    """Returns the element types that an operator of `opset` computes with; "" without a schema."""
    try:
        schema = onnx.defs.get_schema(name, opset, domain)
    except onnx.defs.SchemaError:
        return ""
    return _in_words(_element_types(schema))


def _element_types(schema: onnx.defs.OpSchema) -> set[str]:
    """Returns the types of the first output's type variable if an input has it, else of the first input's,
    else of the output's."""
    of_inputs = [formal.type_str for formal in schema.inputs]
    of_outputs = [output.type_str for output in schema.outputs]
    variable = next(
        iter([output for output in of_outputs[:1] if output in of_inputs] + of_inputs + of_outputs), ""
    )
    texts = next(
        (
            constraint.allowed_type_strs
            for constraint in schema.type_constraints
            if constraint.type_param_str == variable
        ),
        [variable],
    )
    return {name for text in texts for name in re.findall(r"\w+(?![\w(])", text)}


def _in_words(types: set[str]) -> str:
    left = {_SHORT.get(name) or name.replace("int", "i", 1) for name in types}
    words = []
    for group, members in _GROUPS:
        if left.issuperset(members.split()):
            words.append(group)
            left -= set(members.split())
    return ", ".join([*words, *sorted(left)])


_FOLDERS = ("test/frontends/onnx", "test/numerics")
# They name operators whose operands are wrong.
_REFUSALS = ("test_operand_shapes.py", "test_wrong_values.py", "unusual_models.py")

# As text, and as a call in a model's text.
_NAMED = re.compile(r"""["'](\w+)["']|\b([A-Z]\w+)(?=\(|<\w+ = )""")


def own_cases(root: Path, domain: str, name: str) -> str:
    """Returns the number of ONNX's cases of an operator that pass, as they are and with dynamic sizes, as
    recorded in the repository at `root`."""
    row = _counts(root).get(f"{domain}.{name}" if domain else name)
    if row is None:
        return ""
    total, static, dynamic = row
    return f"{static} of {total}" if static == dynamic else f"{static} of {total}, any size {dynamic}"


@cache
def _counts(root: Path) -> dict[str, tuple[int, int, int]]:
    """Returns the cases by operator in docs/conformance.md, and those that pass, static and dynamic."""
    text = (root / "docs" / "conformance.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \| (\d+) \| (\d+) \| \d+ \| (\d+) \|$", text, re.MULTILINE)
    return {name: (int(total), int(static), int(dynamic)) for name, total, static, dynamic in rows}


def file_of_tests(root: Path, name: str) -> str:
    """Returns the test file in a repository that names the operator most often, the first of several; "" if
    none does."""
    found = {path: names.count(name) for path, names in _names(root).items()}
    best = max(found, key=lambda path: (found[path], -len(path)), default="")
    return f"`{best}`" if best and found[best] else ""


@cache
def _names(root: Path) -> dict[str, list[str]]:
    """Returns the names in each test file, in the order of the files."""
    every = (path for folder in _FOLDERS for path in (root / folder).rglob("*.py"))
    files = sorted(path for path in every if path.name not in _REFUSALS)
    return {
        str(path.relative_to(root / "test")): [
            "".join(groups) for groups in _NAMED.findall(path.read_text("utf-8"))
        ]
        for path in files
    }


# No rule lowers them, because an earlier pass replaces them or they become arguments; control flow is the
# host program's.
_GONE_BEFORE = ("weight", "prepared", "batch_norm", "rotary_embedding", "if", "loop", "yield")
_BODY = "its function body"
_NEWEST = 1000  # For domains whose versions onnx does not list.

_INTRODUCTION = """\
# ONNX operators

What the front end imports, generated by `make docs` from its registry and the schemas of onnx {onnx} (opset
{opset}). *Opsets* are those of the model. An operator is imported by a function of
`frontends/onnx/operators/`, or through its function body: the nodes that ONNX itself defines it by (some
bodies are made for a node's types and attributes). *Limits*
are what the importing function itself refuses (what it calls may refuse more), in one message for all nodes
of a model; `{{...}}` stands for a value. Control flow has a separate page
([control-flow.md](control-flow.md)).

*Types* are those of the elements that the operator computes with, as its newest schema has them: *floats* are
f16, bf16, f32 and f64, *ints* those of 8 to 64 bits with and without sign, *small ints* those of 2 and 4
bits, *f8*, *f6* and *f4* the small floats.

*ONNX's cases* are those of ONNX's backend suite that test the operator or its function body, and how many of
them pass, with inputs as they are and of any size ([conformance.md](conformance.md)). *Tests* is the file
under `test/` that names the operator most often.

All operators become ops of the [graph dialect](dialects/graph.md). {lowered} Dims of inputs,
and values such as axes, shapes, indices and counts, may be dynamic; where an operator
needs one of them at compile time, the message names it.

Complex numbers are moved, scattered (sums and products too), resized and sampled, by their parts; `Unique`
has NumPy's order: the real parts decide, the imaginary ones where those are equal. Elements with a NaN are
one value, the greatest. A GPU computes with none of them.

Random operators compute elements from a key and the element's index (SplitMix64): a compiled model gives the
same ones at every run. The key is a hash of the attribute `seed`, or of the node's name where there is none.
DFT and STFT of f32 are computed in f64, as products with constant matrices of the length's factors; with a
dynamic length, as one product with a matrix that is computed at run time.

`Gradient` becomes the ops of the derivative, by a rule for each graph op between `xs` and `y`
(`frontends/onnx/operators/training/derivative_rules.py`); of a `y` of several elements it is the derivative
of their sum. An op without a rule is named.
"""

_RUNTIME = """\
## Functions of the C runtime

Kernels compute everything but what is made of strings, sequences and maps: {count} functions of the runtime,
which the host program calls, do that ([what they take and give](runtime-functions.md)). `mlc compile -v` and
the report name those that a model calls. They are
{functions}.
"""


def page(root: Path) -> str:
    """Returns the page: operators by domain, the imported ones with their limits and their tests in the
    repository at `root`, then the others by name."""
    known = registrations()
    latest = _latest_schemas()
    opset = onnx.defs.onnx_opset_version()
    parts = [_INTRODUCTION.format(onnx=onnx.__version__, opset=opset, lowered=_lowering_sentence())]
    for domain in sorted({domain for domain, _ in known}):
        names = sorted({name for where, name in known if where == domain} | set(latest.get(domain, {})))
        rows = [
            row
            for name in names
            for row in _rows(root, domain, name, known.get((domain, name), []), latest.get(domain, {}))
        ]
        parts += [
            f"## {domain or 'ai.onnx'}",
            "",
            table(["operator", "opsets", "types", "imported by", "ONNX's cases", "tests", "limits"], rows),
            "",
        ]
    rest = [name for name in sorted(latest[""]) if not _is_covered(name, latest[""])]
    parts += ["## Not imported", "", "Of ai.onnx: " + ", ".join(f"`{name}`" for name in rest) + ".", ""]
    functions = ", ".join(f"`{name}`" for name in FUNCTIONS)
    parts += [_RUNTIME.format(count=len(FUNCTIONS), functions=functions)]
    return "\n".join(parts)


def _latest_schemas() -> dict[str, dict[str, onnx.defs.OpSchema]]:
    """Returns the newest schemas by domain and operator, without deprecated operators and training."""
    found: dict[str, dict[str, onnx.defs.OpSchema]] = {"": {}}
    for schema in onnx.defs.get_all_schemas():
        if schema.domain == "" and not schema.deprecated:
            found[""][schema.name] = schema
    return found


def _rows(
    root: Path, domain: str, name: str, entries: list[Registration], schemas: dict[str, onnx.defs.OpSchema]
) -> Iterator[list[str]]:
    tests = [own_cases(root, domain, name), file_of_tests(root, name)]
    newest = onnx.defs.onnx_opset_version() if domain == "" else _NEWEST
    for entry in entries:
        where = f"`{entry.function.__module__.partition('.operators.')[2]}.{entry.function.__name__}`"
        types = element_types(domain, name, newest if entry.until is None else entry.until)
        yield [f"`{name}`", _opsets(entry), types, where, *tests, "; ".join(limits(entry.function))]
    if not entries and _importable(name, schemas):
        types = element_types(domain, name, newest)
        yield [f"`{name}`", f"{_first_body(name)} on", types, _BODY, *tests, ""]


def _first_body(name: str) -> int:
    """Returns the first opset whose schema of an operator of ai.onnx has a function body."""
    history = (schema for schema in onnx.defs.get_all_schemas_with_history() if not schema.domain)
    return min(
        schema.since_version
        for schema in history
        if schema.name == name and (schema.has_function or schema.has_context_dependent_function)
    )


def _opsets(entry: Registration) -> str:
    return f"{entry.since} on" if entry.until is None else f"{entry.since} to {entry.until}"


def _importable(name: str, schemas: dict[str, onnx.defs.OpSchema]) -> bool:
    """Whether an operator without a function of ours has a body whose operators are all imported."""
    schema = schemas.get(name)
    if schema is None:
        return False
    if schema.has_context_dependent_function:
        # Its nodes depend on the types of the node; ONNX's cases show whether they are imported.
        return True
    nodes = {node.op_type for node in schema.function_body.node} if schema.has_function else set()
    return bool(nodes) and all(_is_covered(node, schemas) for node in nodes)


def _is_covered(name: str, schemas: dict[str, onnx.defs.OpSchema]) -> bool:
    return ("", name) in registrations() or _importable(name, schemas)


def limits(function: OperatorFunction) -> list[str]:
    """Returns the messages of the `UnsupportedNodeError` errors that the function itself raises."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    return [
        _text(call.args[0])
        for call in calls
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "UnsupportedNodeError"
    ]


def _text(message: ast.expr) -> str:
    """Returns the text of a string or f-string, with `{...}` for its expressions."""
    if isinstance(message, ast.JoinedStr):
        return "".join(_text(part) for part in message.values)
    return str(message.value) if isinstance(message, ast.Constant) else "{...}"


def _lowering_sentence() -> str:
    """Returns a sentence about the graph ops without a lowering."""
    known = {*graph_to_linalg.RULES, *(f"graph.{name}" for name in _GONE_BEFORE)}
    missing = [f"`graph.{name}`" for name in specs() if f"graph.{name}" not in known]
    if not missing:
        return "Each of them has a lowering to loops."
    return f"Each of them has a lowering to loops, but for {', '.join(missing)}."
