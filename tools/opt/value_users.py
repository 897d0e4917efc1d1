"""Prints IR with the users of values as comments, or with SSA names that are unique across regions.

The bindings' printer can do neither. But it prints the locations of ops and of block arguments, and takes
them as names: a copy is printed whose locations are indices, and the indices are replaced in the text.

The SSA names are computed again where the flags of upstream's printer are out of reach: the bindings have
neither `--mlir-print-value-users`, which also gives ids to ops without results, nor
`--mlir-print-unique-ssa-ids`. This follows `SSANameState` of MLIR's AsmPrinter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from mlc.bindings import ir, linalg
from mlc.bindings.operations import address

_VALUE_ID = re.compile(r"%\d+(#\d+)?")

_ARGUMENT_ID = re.compile(r"%arg\d+")


@dataclass
class PrintedBlock:
    """A block with the names of its arguments; `index` is unique in the tree, and so is that of an op.

    The arguments' indices follow the block's.
    """

    index: int
    block: ir.Block
    nodes: list[PrintedOp] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


@dataclass
class PrintedOp:
    """An op with the names of its results, or the id of an op without results."""

    index: int
    op: ir.Operation
    regions: list[list[PrintedBlock]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


def make_tree(root: ir.Operation) -> list[PrintedOp | PrintedBlock]:
    """Returns `root`, and the blocks and ops inside it, in pre-order. Not recursive: ops may be nested deeper
    than Python's stack.
    """
    order: list[PrintedOp | PrintedBlock] = []
    waiting: list[PrintedOp | PrintedBlock] = [PrintedOp(0, root)]
    index = 0
    while waiting:
        item = waiting.pop()
        item.index, index = index, index + 1
        order.append(item)
        if isinstance(item, PrintedOp):
            item.regions = [[PrintedBlock(0, block) for block in region] for region in item.op.regions]
            waiting += [block for region in reversed(item.regions) for block in reversed(region)]
        else:
            index += len(item.block.arguments)
            item.nodes = [PrintedOp(0, op.operation) for op in item.block.operations]
            waiting += reversed(item.nodes)
    return order


@dataclass
class Numbering:
    """Fills in the names of a tree. `users` gives ids to ops without results, `unique` does not restart
    a region at the id of the region around it, `generic` ignores the names that ops propose.
    """

    users: bool
    unique: bool
    generic: bool
    _value: int = 0
    _argument: int = 0
    _taken: set[str] = field(default_factory=set)

    def fill(self, root: PrintedOp) -> None:
        """Names everything inside `root`, which has no parent."""
        state = ir.AsmState(root.op)
        waiting = [(region, 0, 0) for region in root.regions]
        self._op(root, state)
        while waiting:
            region, value, argument = waiting.pop()
            if not self.unique:
                self._value, self._argument = value, argument
            for block in region:
                self._block(block, state, is_entry=block is region[0])
            inside = [inner for block in region for node in block.nodes for inner in node.regions]
            waiting += [(inner, self._value, self._argument) for inner in inside]

    def _block(self, block: PrintedBlock, state: ir.AsmState, *, is_entry: bool) -> None:
        for argument in block.block.arguments:
            name = argument.get_name(state)
            if is_entry and (self.generic or _ARGUMENT_ID.fullmatch(name)):
                name, self._argument = f"%arg{self._argument}", self._argument + 1
            elif self.generic or _VALUE_ID.fullmatch(name):
                name, self._value = f"%{self._value}", self._value + 1
            else:
                name = self._adopt_name(name)
            block.names.append(name)
        for node in block.nodes:
            self._op(node, state)

    def _op(self, node: PrintedOp, state: ir.AsmState) -> None:
        results = list(node.op.results)
        if not results:
            if self.users:
                node.names.append(f"%{self._value}")
                self._value += 1
            return
        given = [result.get_name(state) for result in results]
        if self.generic:
            given = [f"%0#{index}" if len(results) > 1 else "%0" for index in range(len(results))]
        value_id = f"%{self._value}"
        if _VALUE_ID.fullmatch(given[0]):
            self._value += 1
        for name in given:
            default = _VALUE_ID.fullmatch(name)
            node.names.append(f"{value_id}{default[1] or ''}" if default else self._adopt_name(name))

    def _adopt_name(self, name: str) -> str:
        """Returns a name that an op proposed, made unique across regions if `unique` asks for that."""
        base, hash_sign, position = name.partition("#")
        if self.unique and position in ("", "0"):
            suffix = 0
            while base in self._taken:
                base, suffix = f"{name.partition('#')[0]}_{suffix}", suffix + 1
            self._taken.add(base)
        return f"{base}{hash_sign}{position}"


Tree = list[PrintedOp | PrintedBlock]

_MARK = "mlc_index_"
_ALIAS = re.compile(rf'^(#loc\d*) = loc\("{_MARK}(\d+)"\)\n', re.MULTILINE)
# Ops have their locations at the end of a line, where no string can end; arguments have them in full.
_LOCATION = re.compile(rf' loc\((?:(#loc\d*)\)$|"{_MARK}(\d+)"\))', re.MULTILINE)
_VALUE = re.compile(rf"%{_MARK}(\d+)(?:_(\d+))?(#\d+|:\d+)?")
_HEADER = re.compile(rf'^( *)"mlc\.header"\(\) : \(\) -> \(\) @{_MARK}(\d+)\n', re.MULTILINE)


# Ops that print a body of one op in a shorter form, which another op in it would prevent.
_WITH_SHORT_FORMS = (linalg.Map.NAME, linalg.Reduce.NAME)


@dataclass
class _Texts:
    """The text that replaces each index of a tree."""

    names: dict[int, Sequence[str]] = field(default_factory=dict)
    trailers: dict[int, str] = field(default_factory=dict)
    headers: dict[int, list[str]] = field(default_factory=dict)


def print_annotated(
    op: ir.Operation, options: dict[str, Any], *, users: bool = False, unique: bool = False
) -> str:
    """Returns the text of `op` with the given options of `get_asm`: with the users of each value in comments,
    or with names that are unique across regions.
    """
    generic, debug = options["print_generic_op_form"], options["enable_debug_info"]
    copy = op.clone().operation
    original, tree = make_tree(op), make_tree(copy)
    # In the generic form upstream's names are unique across regions in any case.
    root = tree[0]
    assert isinstance(root, PrintedOp)
    Numbering(users=users, unique=unique or generic, generic=generic).fill(root)
    texts = _Texts()
    by_address = {address(one.op): other for one, other in _nodes(original, tree)}
    for one, other in zip(original, tree, strict=True):
        if isinstance(other, PrintedOp):
            _describe_op(one, other, by_address, texts, users=users, debug=debug)
        else:
            _describe_block(one, other, by_address, texts, users=users, debug=debug)
    _mark_locations(tree, copy.context)
    if users:
        _add_headers(tree, copy.context, skipped=() if generic else _WITH_SHORT_FORMS)
    flags = options | {"enable_debug_info": True, "use_name_loc_as_prefix": True, "assume_verified": True}
    return _fill_in(str(copy.get_asm(**flags)), texts)


def _nodes(original: Tree, tree: Tree) -> Iterator[tuple[PrintedOp, PrintedOp]]:
    pairs = zip(original, tree, strict=True)
    return (
        (one, other) for one, other in pairs if isinstance(one, PrintedOp) and isinstance(other, PrintedOp)
    )


def _describe_op(
    one: Any, other: PrintedOp, by_address: dict[int, PrintedOp], texts: _Texts, *, users: bool, debug: bool
) -> None:
    texts.names[other.index] = other.names
    location = f" {one.op.location}" if debug else ""
    texts.trailers[other.index] = location + (_comment(one.op, other, by_address) if users else "")


def _describe_block(
    one: Any,
    other: PrintedBlock,
    by_address: dict[int, PrintedOp],
    texts: _Texts,
    *,
    users: bool,
    debug: bool,
) -> None:
    lines = texts.headers[other.index] = []
    for offset, (argument, name) in enumerate(zip(one.block.arguments, other.names, strict=True), start=1):
        texts.names[other.index + offset] = [name]
        texts.trailers[other.index + offset] = f" {argument.location}" if debug else ""
        used = _users(argument, by_address)
        lines.append(f"// {name} is {f'used by {used}' if used else 'unused'}")


def _comment(op: ir.Operation, node: PrintedOp, by_address: dict[int, PrintedOp]) -> str:
    """Returns ` // users: %3, %4` and the other forms of mlir-opt."""
    results = list(op.results)
    if not results:
        return f" // id: {node.names[0]}" if len(op.operands) else ""
    owners = {address(use.owner): use.owner.operation for result in results for use in result.uses}
    if not owners:
        return " // unused"
    one = len(results) == len(owners) == 1 and all(len(owner.results) <= 1 for owner in owners.values())
    listed = [_users(result, by_address) or "unused" for result in results]
    shown = ", ".join(f"({users})" for users in listed) if len(results) > 1 else listed[0]
    return f" // {'user' if one else 'users'}: {shown}"


def _users(value: ir.Value, by_address: dict[int, PrintedOp]) -> str:
    """Returns the results of the ops that use `value`, or the ids of those without results."""
    owners = dict.fromkeys(address(use.owner) for use in value.uses)
    return ", ".join(name for owner in owners if owner in by_address for name in by_address[owner].names)


def _mark_locations(tree: Tree, context: ir.Context) -> None:
    """Sets locations that are indices of the tree."""
    for item in tree:
        if isinstance(item, PrintedOp):
            item.op.location = _location(item.index, context)
            continue
        for offset, argument in enumerate(item.block.arguments, start=1):
            argument.set_location(_location(item.index + offset, context))


def _add_headers(tree: Tree, context: ir.Context, skipped: Sequence[str]) -> None:
    """Inserts an op at the begin of each block with arguments, except in ops whose names are `skipped`."""
    allowed = context.allow_unregistered_dialects
    context.allow_unregistered_dialects = True
    blocks = (item for item in tree if isinstance(item, PrintedBlock) and len(item.block.arguments))
    for item in blocks:
        if item.block.owner.name not in skipped:
            with ir.InsertionPoint.at_block_begin(item.block), _location(item.index, context):
                ir.Operation.create("mlc.header")
    context.allow_unregistered_dialects = allowed


def _location(index: int, context: ir.Context) -> ir.Location:
    return ir.Location.name(f"{_MARK}{index}", context=context)


def _fill_in(text: str, texts: _Texts) -> str:
    aliases = {alias: int(index) for alias, index in _ALIAS.findall(text)}
    text = _ALIAS.sub("", text)
    conflicts = _conflicts(text)

    def trailer(match: re.Match[str]) -> str:
        """Returns what follows an op or an argument."""
        index = aliases[match[1]] if match[1] else int(match[2])
        # The op at the begin of a block: found again by its index.
        return f" @{_MARK}{index}" if index in texts.headers else texts.trailers[index]

    def name(match: re.Match[str]) -> str:
        """Returns the name of a value."""
        index, conflict, suffix = int(match[1]), int(match[2] or -1), match[3] or ""
        group = _groups(texts.names[index])[conflicts[index].index(conflict)]
        return group[0].partition("#")[0] + suffix if suffix.startswith(":") else group[int(suffix[1:] or 0)]

    def header(match: re.Match[str]) -> str:
        """Returns the comments of a block's arguments."""
        return "".join(f"{match[1]}{line}\n" for line in texts.headers[int(match[2])])

    return _VALUE.sub(name, _HEADER.sub(header, _LOCATION.sub(trailer, text)))


def _conflicts(text: str) -> dict[int, list[int]]:
    """Returns the suffixes that the printer appended to each mark, -1 for none: the first group of an op's
    results has none, each further one a higher one.
    """
    found: dict[int, set[int]] = {}
    for index, conflict, _ in _VALUE.findall(text):
        found.setdefault(int(index), {-1}).add(int(conflict or -1))
    return {index: sorted(suffixes) for index, suffixes in found.items()}


def _groups(names: Sequence[str]) -> list[list[str]]:
    """Groups the names of results by their part before `#`."""
    return [list(group) for _, group in groupby(names, key=lambda name: name.partition("#")[0])]
