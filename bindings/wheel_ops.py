"""The ops of upstream's dialects as the wheel's generated Python declares them, for the views of these ops.

Each accessor of a class of the wheel has one of few bodies, which are recognised by their text; one that is
not raises, so that a change of wheel does not go unnoticed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path

# The ops of a dialect that have views: all, or of the largest dialects those that mlc reads or builds.
ALL: tuple[str, ...] = ()
VIEWED: dict[str, tuple[str, ...]] = {
    "affine": ALL,
    "arith": ALL,
    "bufferization": ALL,
    "builtin": ALL,
    "cf": ALL,
    "func": ALL,
    "gpu": ("barrier", "func", "launch_func", "memcpy", "module", "return", "wait"),
    "linalg": tuple("contract copy fill generic index map pack reduce transpose unpack yield".split()),
    "llvm": tuple(
        "addrspacecast bitcast br call cond_br extractelement extractvalue fence func getelementptr "
        "insertelement insertvalue inttoptr load mlir.addressof mlir.constant mlir.global mlir.poison "
        "mlir.zero ptrtoint return sext store trunc unreachable zext".split()
    ),
    "math": ALL,
    "memref": ALL,
    "nvvm": tuple(
        "bar.warp.sync barrier cp.async.bulk.wait_group cp.async.commit.group cp.async.shared.global "
        "cp.async.wait.group elect.sync fence.mbarrier.init fence.proxy mapa prefetch setmaxregister "
        "shfl.sync".split()
    ),
    "rocdl": tuple(
        "mfma.f32.16x16x16bf16.1k mfma.f32.16x16x16f16 mfma.f32.16x16x4f32 mfma.f32.16x16x8.xf32 "
        "mfma.f64.16x16x4f64 mfma.i32.16x16x16i8 mfma.i32.16x16x32.i8".split()
    ),
    "scf": ALL,
    "tensor": ALL,
    "vector": ALL,
}


@dataclass(frozen=True)
class Field:
    """A field of a view: its name and definition, a call of a function of `fields`.

    Of an attribute, `attribute` is its name and `is_optional` whether it may be absent; `arguments` then may
    hold the default.
    """

    name: str
    form: str
    arguments: str = ""
    attribute: str = ""
    is_optional: bool = False


@dataclass(frozen=True)
class WheelOp:
    """An op: its name, the wheel's class, and a field for each of its accessors."""

    name: str
    class_name: str
    fields: tuple[Field, ...]


# What the wheel's classes lack, or have only in the classes that are written by hand.
_TERMINATOR = Field("terminator", "terminator")
_LOOP = (
    Field("induction_variable", "block_argument", "0"),
    Field("iteration_arguments", "block_arguments", "1"),
    _TERMINATOR,
)
_ADDED: dict[str, tuple[Field, ...]] = {
    "affine.for": _LOOP,
    "affine.parallel": (_TERMINATOR,),
    "linalg.generic": (_TERMINATOR,),
    "scf.for": _LOOP,
    "scf.forall": (_TERMINATOR,),
    "scf.parallel": (_TERMINATOR,),
}

_OPERATION_NAME = re.compile(r'^  OPERATION_NAME = "([^"]+)"', re.MULTILINE)
# Attributes whose type does not say what they hold.
_NAMED_FORMS = {"indexing_maps": "affine_maps"}
_FORMS = {
    "AffineMapAttr": "affine_map",
    "ArrayAttr": "array",
    "BoolAttr": "boolean",
    "DenseI32ArrayAttr": "integers32",
    "DenseI64ArrayAttr": "integers",
    "FlatSymbolRefAttr": "symbol",
    "IntegerAttr": "integer",
    "StringAttr": "string",
    "TypeAttr": "type_",
}


def op_names() -> frozenset[str]:
    """The names of all ops that the wheel's Python declares."""
    files = _folder().glob("_*_ops_gen.py")
    return frozenset(name for file in files for name in _OPERATION_NAME.findall(file.read_text("utf-8")))


def ops(dialect: str) -> Iterator[WheelOp]:
    """The ops of a dialect of `VIEWED`, in the wheel's order; ValueError where one of the list is missing."""
    wanted = set(VIEWED[dialect])
    tree = ast.parse((_folder() / f"_{dialect}_ops_gen.py").read_text("utf-8"))
    for node in tree.body:
        name = _op_name(node)
        if isinstance(node, ast.ClassDef) and name and (not VIEWED[dialect] or name in wanted):
            wanted.discard(name)
            full = f"{dialect}.{name}"
            yield WheelOp(full, node.name, (*_fields(node), *_ADDED.get(full, ())))
    if wanted:
        raise ValueError(f"the wheel has no {dialect} op called {', '.join(sorted(wanted))}")


def _folder() -> Path:
    spec = find_spec("torch_mlir")
    assert spec is not None and spec.submodule_search_locations
    return Path(next(iter(spec.submodule_search_locations))) / "dialects"


def _op_name(node: ast.stmt) -> str:
    """The op's name without its dialect if `node` is an op's class, else ""."""
    if not isinstance(node, ast.ClassDef) or node.name.endswith("Adaptor"):
        return ""
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name("OPERATION_NAME")], value=ast.Constant(str(name))):
                return name.partition(".")[2]
    return ""


def _fields(node: ast.ClassDef) -> list[Field]:
    getters = [
        member
        for member in node.body
        if isinstance(member, ast.FunctionDef)
        and any(ast.unparse(decorator) == "builtins.property" for decorator in member.decorator_list)
    ]
    return [_field(getter) for getter in getters]


def _field(getter: ast.FunctionDef) -> Field:
    """The field that reads what `getter` reads."""
    text = "; ".join(" ".join(ast.unparse(line).split()) for line in getter.body)
    text = text.replace("self.operation.", "").replace("self.", "")
    if match := _ATTRIBUTE.fullmatch(text):
        return _attribute_field(getter, match["name"])
    if match := _UNIT.fullmatch(text):
        return Field(_field_name(getter.name), "unit", attribute=match["name"])
    for pattern, make in _PATTERNS:
        if match := pattern.fullmatch(text):
            form, arguments = make(match)
            return Field(_field_name(getter.name), form, arguments)
    raise ValueError(f"the wheel's accessor '{getter.name}' has an unknown body: {text}")


def _field_name(accessor: str) -> str:
    """`lowerBound` -> `lower_bound`, `results_` -> `results`; keywords keep their underscore."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", accessor).lower().rstrip("_")
    return f"{name}_" if iskeyword(name) else name


def _attribute_field(getter: ast.FunctionDef, attribute: str) -> Field:
    returns = "" if getter.returns is None else ast.unparse(getter.returns)
    form = _NAMED_FORMS.get(attribute) or _FORMS.get(re.findall(r"\w+", returns)[-1], "attribute")
    return Field(_field_name(getter.name), form, "", attribute, returns.startswith("_Optional["))


# The bodies of accessors, without `self.operation.`.
_UNIT = re.compile(r"return '(?P<name>[\w.]+)' in attributes")
_ATTRIBUTE = re.compile(
    r"(?:if '[\w.]+' not in attributes: return None; )?return attributes\['(?P<name>[\w.]+)'\]"
)
_GROUP = r"_ods_variadic_group_length = len\((?P<what>operands|results)\) - (?P<others>\d+) \+ 1; "
_SEGMENT = (
    r"operand_range = _ods_segmented_accessor\(operands, attributes\['operandSegmentSizes'\], (?P<i>\d+)\); "
)
_SHARE = (
    r"start, elements_per_group = _ods_equally_sized_accessor\((?P<what>operands|results), (?P<singles>\d+), "
    r"(?P<count>\d+), (?P<before>\d+), (?P<index>\d+)\); return (?P=what)"
)


def _single(match: re.Match[str]) -> str:
    return match["what"].removesuffix("s")


def _of_group(match: re.Match[str]) -> tuple[str, str]:
    """A variadic group with single values around it."""
    first, after = int(match["first"]), int(match["others"]) - int(match["first"]) - 1
    return match["what"], f"{first}, {after}" if after else str(first) if first else ""


def _after_group(match: re.Match[str]) -> tuple[str, str]:
    """A single value after a variadic group: its index counts from the end."""
    return _single(match), str(int(match["first"]) - int(match["others"]))


def _of_share(match: re.Match[str]) -> tuple[str, str]:
    """One of several variadic groups of equal length after single values."""
    singles = "" if match["singles"] == "0" else f", {match['singles']}"
    return f"{_single(match)}_share", f"{match['index']}, {match['count']}{singles}"


_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[str, str]]], ...] = tuple(
    (re.compile(pattern), make)
    for pattern, make in (
        (r"return (?P<what>operands|results|regions)\[(?P<i>\d+)\]", lambda m: (_single(m), m["i"])),
        (r"return regions\[0:\]", lambda m: ("regions", "")),
        (r"return regions\[(?P<i>\d+):\]", lambda m: ("regions", m["i"])),
        (
            r"return None if len\((?P<what>operands|results)\) < \d+ else (?P=what)\[(?P<i>\d+)\]",
            lambda m: (f"optional_{_single(m)}", m["i"]),
        ),
        (_GROUP + r"return (?P=what)\[(?P<first>\d+):\d+ \+ _ods_variadic_group_length\]", _of_group),
        (_GROUP + r"return (?P=what)\[(?P<first>\d+) \+ _ods_variadic_group_length - 1\]", _after_group),
        (_SEGMENT + r"return operand_range", lambda m: ("segment", m["i"])),
        (_SEGMENT + r"return operand_range\[0\]", lambda m: ("segment_operand", m["i"])),
        (
            _SEGMENT + r"return operand_range\[0\] if len\(operand_range\) > 0 else None",
            lambda m: ("optional_segment_operand", m["i"]),
        ),
        (_SHARE + r"\[start:start \+ elements_per_group\]", _of_share),
        (_SHARE + r"\[start\]", lambda m: (_single(m), m["before"])),
    )
)
