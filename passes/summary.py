"""Summaries of passes for `--help`, read from their sources: importing a pass loads MLIR."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mlc.passes import registry
from mlc.passes.exactness import exactness_option
from mlc.passes.options import OptionInfo, option, option_info

_DEFAULTS = {"anchor": "builtin.module", "exactness": "exact"}
# The functions that declare options.
_MAKERS = {maker.__name__: maker for maker in (option, exactness_option)}


class _NotPlain(Exception):
    """The source computes an option or an attribute, whose value only the imported class has."""


@dataclass(frozen=True)
class PassSummary:
    """The description of a pass; `text` is the first sentence of its docstring."""

    text: str
    anchor: str
    exactness: str
    options: tuple[OptionInfo, ...]


def summary(name: str) -> PassSummary | None:
    """Returns the summary of the pass called `name`, or None if there is none."""
    target = registry.target(name)
    if isinstance(target, str):
        try:
            return _from_source(*target.split(":"))
        except _NotPlain:
            pass
    cls = registry.lookup(name)
    if cls is None:
        return None
    return PassSummary(_first_sentence(inspect.getdoc(cls)), cls.anchor, cls.exactness, cls.options())


def _from_source(module: str, name: str) -> PassSummary:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise _NotPlain
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    found = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]
    if not found or [ast.unparse(base) for base in found[0].bases] != ["Pass"]:
        raise _NotPlain
    attributes = dict(_DEFAULTS)
    options: list[OptionInfo] = []
    for field in found[0].body:
        if isinstance(field, (ast.Assign, ast.AnnAssign)):
            _read_field(field, attributes, options)
    text = _first_sentence(ast.get_docstring(found[0]))
    return PassSummary(text, attributes["anchor"], attributes["exactness"], tuple(options))


def _read_field(
    field: ast.Assign | ast.AnnAssign, attributes: dict[str, str], options: list[OptionInfo]
) -> None:
    target = field.target if isinstance(field, ast.AnnAssign) else field.targets[0]
    name, value = ast.unparse(target), field.value
    if isinstance(field, ast.AnnAssign) and isinstance(value, ast.Call):
        options.append(_option(name, ast.unparse(field.annotation), value))
    elif name in attributes and value is not None:
        attributes[name] = _constant(value)


def _option(name: str, annotation: str, call: ast.Call) -> OptionInfo:
    """Returns the option of `name: annotation = option(default, help=..., choices=..., name=...)` and the
    like."""
    make = _MAKERS.get(ast.unparse(call.func))
    if make is None or any(keyword.arg is None for keyword in call.keywords):
        raise _NotPlain
    values = {str(keyword.arg): _constant(keyword.value) for keyword in call.keywords}
    return option_info(make(*map(_constant, call.args), **values), name, _type_name(annotation))


def _type_name(annotation: str) -> str:
    if annotation.startswith("tuple["):
        return f"list of {_type_name(annotation[len('tuple[') :].partition(',')[0])}"
    return {"str": "string"}.get(annotation, annotation)


def _constant(node: ast.expr) -> Any:
    """Evaluates an expression of constants, such as `256 * 1024`."""
    allowed = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Tuple, ast.expr_context)
    if not all(isinstance(part, allowed) for part in ast.walk(node)):
        raise _NotPlain
    return eval(compile(ast.Expression(node), "<option>", "eval"), {"__builtins__": {}})


def _first_sentence(text: str | None) -> str:
    paragraph = " ".join((text or "").partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".")
