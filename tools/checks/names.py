"""Definitions of a Python file and the references of each of them, read from the syntax tree.

A reference is a module and a name there, as far as one file shows it: after `from a.b import f` the name `f`
is `f` of `a.b`, and so is `b.f` after `from a import b`. Attributes of other values are kept by name alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

# A module and a name in it. The module is "" for the file itself, the name is "" for the module as a whole.
Reference: TypeAlias = tuple[str, str]

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
# "module:name", as in registries and entry points.
_TARGET = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.\w+)*")
# Decorators that do not hand what they decorate to a table.
_PLAIN = frozenset(
    "abstractmethod cache cached_property classmethod contextmanager dataclass lru_cache overload property "
    "runtime_checkable staticmethod total_ordering wraps".split()
)


@dataclass
class Uses:
    """References of a piece of code."""

    names: set[Reference] = field(default_factory=set)
    # Attributes that are read, keywords in patterns, and strings that may name an attribute or a module.
    attributes: set[str] = field(default_factory=set)
    # Modules that are imported when the code runs.
    modules: set[str] = field(default_factory=set)
    # Packages of which a module is imported whose name is computed.
    packages: set[str] = field(default_factory=set)


@dataclass
class SourceDefinition:
    """A function, class, method, field or constant. A decorator or a class keyword makes it `registered`."""

    category: str
    line: int
    registered: bool = False
    uses: Uses = field(default_factory=Uses)
    members: dict[str, SourceDefinition] = field(default_factory=dict)
    bases: list[Reference] = field(default_factory=list)


@dataclass
class SourceModule:
    """A Python file: its definitions, where imported names come from, and the code that runs on import."""

    name: str
    path: str
    is_program: bool = False
    definitions: dict[str, SourceDefinition] = field(default_factory=dict)
    imports: dict[str, Reference] = field(default_factory=dict)
    body: Uses = field(default_factory=Uses)


def read_module(name: str, path: str, text: str) -> SourceModule:
    """Returns the definitions and the references of a file. Raises `SyntaxError`."""
    tree = ast.parse(text, path)
    module = SourceModule(name, path, is_program=path.endswith(("__main__.py", "setup.py", "lit.cfg.py")))
    for node in ast.walk(tree):
        module.imports.update(_import_bindings(node, module))
    _SourceReader(module).read(tree.body)
    return module


def _import_bindings(node: ast.AST, module: SourceModule) -> Iterator[tuple[str, Reference]]:
    """The local names that an import statement binds."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            yield (alias.asname, (alias.name, "")) if alias.asname else (top, (top, ""))
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, (_source(node, module), alias.name)


def _source(node: ast.ImportFrom, module: SourceModule) -> str:
    """The module that `from ... import` names; a relative name becomes absolute."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    if not module.path.endswith("__init__.py"):
        parts.pop()
    package = parts[: len(parts) - node.level + 1]
    return ".".join([*package, *filter(None, [node.module])])


@dataclass
class _SourceReader:
    module: SourceModule

    def read(self, statements: Iterable[ast.stmt]) -> None:
        """Adds top-level statements to the module: definitions, and code that runs on import."""
        for statement in statements:
            match statement:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    _define(self.module.definitions, statement.name, self._function(statement, "function"))
                case ast.ClassDef():
                    _define(self.module.definitions, statement.name, self._class(statement))
                case ast.If(test=test) if "__main__" in ast.unparse(test):
                    self.module.is_program = True
                    self._use(self.module.body, [statement])
                case ast.Expr(value=ast.Call() as call) if ast.unparse(call.func) == "sys.exit":
                    self.module.is_program = True
                    self._use(self.module.body, [statement])
                case ast.If() | ast.Try():
                    self._use(self.module.body, _expressions(statement))
                    self.read([*statement.body, *statement.orelse])
                case _:
                    self._constants(statement)

    def _constants(self, statement: ast.stmt) -> None:
        for name in _assigned_names(statement):
            _define(self.module.definitions, name, SourceDefinition("constant", statement.lineno))
        self._use(self.module.body, [statement])

    def _function(self, node: _Function, category: str) -> SourceDefinition:
        definition = SourceDefinition(category, node.lineno)
        definition.registered = any(_last_name(decorator) not in _PLAIN for decorator in node.decorator_list)
        self._use(definition.uses, [node])
        return definition

    def _class(self, node: ast.ClassDef) -> SourceDefinition:
        definition = SourceDefinition("class", node.lineno)
        decorators = [_last_name(decorator) for decorator in node.decorator_list]
        definition.registered = bool(node.keywords) or any(name not in _PLAIN for name in decorators)
        definition.bases = [self._base(base) for base in node.bases]
        self._use(definition.uses, [*node.bases, *node.keywords, *node.decorator_list])
        for statement in node.body:
            match statement:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    _define(definition.members, statement.name, self._function(statement, "method"))
                    continue
                case ast.AnnAssign(target=ast.Name(id=name)) if "dataclass" in decorators:
                    _define(definition.members, name, SourceDefinition("field", statement.lineno))
            self._use(definition.uses, [statement])
        return definition

    def _base(self, base: ast.expr) -> Reference:
        """A base class; of module "?" if it is no plain name."""
        match base:
            case ast.Subscript():
                return self._base(base.value)
            case ast.Name():
                return self.module.imports.get(base.id, ("", base.id))
            case ast.Attribute(value=ast.Name(id=name)) if name in self.module.imports:
                return _join(self.module.imports[name]), base.attr
        return "?", ""

    def _use(self, uses: Uses, nodes: Iterable[ast.AST]) -> None:
        """Adds what the nodes and all in them refer to."""
        for node in nodes:
            for inner in ast.walk(node):
                self._use_one(uses, inner)

    def _use_one(self, uses: Uses, node: ast.AST) -> None:
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                uses.names.add(self.module.imports.get(name, ("", name)))
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in self.module.imports:
                uses.names.add((_join(self.module.imports[name]), attribute))
                uses.attributes.add(attribute)
            case ast.Attribute(attr=attribute, ctx=ast.Load()):
                uses.attributes.add(attribute)
            case ast.MatchClass(kwd_attrs=attributes):
                uses.attributes.update(attributes)
            case ast.Constant(value=str(text)):
                _use_text(uses, text)
            case ast.Call(args=[ast.JoinedStr(values=[first, *_])]) if _last_name(node) == "import_module":
                package = str(first.value) if isinstance(first, ast.Constant) else self.module.name
                uses.packages.add(package.rstrip("."))
            case ast.Import():
                uses.modules.update(alias.name for alias in node.names)
            case ast.ImportFrom():
                source = _source(node, self.module)
                uses.modules.update([source, *(f"{source}.{alias.name}" for alias in node.names)])


def _use_text(uses: Uses, text: str) -> None:
    """Adds what a string may name: "module:name", ":name" after a computed module, a module, an attribute."""
    if target := _TARGET.fullmatch(text):
        uses.names.add((target[1], target[2]))
    elif _DOTTED.fullmatch(text.removeprefix(":")):
        uses.attributes.add(text.removeprefix(":"))


def _define(definitions: dict[str, SourceDefinition], name: str, definition: SourceDefinition) -> None:
    """Adds a definition; a second one of the same name, an overload say, adds its uses to the first."""
    first = definitions.setdefault(name, definition)
    if first is not definition:
        first.registered |= definition.registered
        first.uses.names |= definition.uses.names
        first.uses.attributes |= definition.uses.attributes


def _expressions(statement: ast.If | ast.Try) -> Iterator[ast.AST]:
    """The parts of a statement that are not statements themselves."""
    return (node for node in ast.iter_child_nodes(statement) if not isinstance(node, ast.stmt))


def _assigned_names(statement: ast.stmt) -> list[str]:
    """The names that an assignment defines; names of a tuple go together, and are passed over."""
    match statement:
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def _last_name(decorator: ast.expr) -> str:
    """The last name of a decorator: `cache` of `functools.cache`."""
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    return decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")


def _join(reference: Reference) -> str:
    return ".".join(filter(None, reference))
