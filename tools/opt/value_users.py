"""Printing with the users of values as comments, or with numbers that no two values share.

The bindings' printer can do neither. But it prints the locations of ops and of block arguments, and takes
them as names: a copy is printed whose locations are numbers, and the numbers are replaced in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from mlc.bindings import ir, linalg
from mlc.bindings.operations import address
from mlc.tools.opt.value_numbering import Block, Node, Numbering, make_tree

Tree = list[Node | Block]

_MARK = "mlc_place_"
_ALIAS = re.compile(rf'^(#loc\d*) = loc\("{_MARK}(\d+)"\)\n', re.MULTILINE)
# Ops have their locations at the end of a line, where no string can end; arguments have them in full.
_LOCATION = re.compile(rf' loc\((?:(#loc\d*)\)$|"{_MARK}(\d+)"\))', re.MULTILINE)
_VALUE = re.compile(rf"%{_MARK}(\d+)(?:_(\d+))?(#\d+|:\d+)?")
_HEADER = re.compile(rf'^( *)"mlc\.header"\(\) : \(\) -> \(\) @{_MARK}(\d+)\n', re.MULTILINE)


# Ops that print a body of one op in a shorter form, which another op in it would prevent.
_WITH_SHORT_FORMS = (linalg.Map.NAME, linalg.Reduce.NAME)


@dataclass
class _Texts:
    """What stands in the text for each index of a tree."""

    names: dict[int, Sequence[str]] = field(default_factory=dict)
    trailers: dict[int, str] = field(default_factory=dict)
    headers: dict[int, list[str]] = field(default_factory=dict)


def print_annotated(
    op: ir.Operation, options: dict[str, Any], *, users: bool = False, unique: bool = False
) -> str:
    """The text of `op` with the given options of `get_asm`: with the users of each value in comments, or
    with names that are unique across regions.
    """
    generic, debug = options["print_generic_op_form"], options["enable_debug_info"]
    copy = op.clone().operation
    original, tree = make_tree(op), make_tree(copy)
    # Upstream numbers the generic form across regions in any case.
    root = tree[0]
    assert isinstance(root, Node)
    Numbering(users=users, unique=unique or generic, generic=generic).fill(root)
    texts = _Texts()
    by_address = {address(one.op): other for one, other in _nodes(original, tree)}
    for one, other in zip(original, tree, strict=True):
        if isinstance(other, Node):
            _describe_op(one, other, by_address, texts, users=users, debug=debug)
        else:
            _describe_block(one, other, by_address, texts, users=users, debug=debug)
    _place(tree, copy.context)
    if users:
        _add_headers(tree, copy.context, skipped=() if generic else _WITH_SHORT_FORMS)
    flags = options | {"enable_debug_info": True, "use_name_loc_as_prefix": True, "assume_verified": True}
    return _fill_in(str(copy.get_asm(**flags)), texts)


def _nodes(original: Tree, tree: Tree) -> Iterator[tuple[Node, Node]]:
    pairs = zip(original, tree, strict=True)
    return ((one, other) for one, other in pairs if isinstance(one, Node) and isinstance(other, Node))


def _describe_op(
    one: Any, other: Node, by_address: dict[int, Node], texts: _Texts, *, users: bool, debug: bool
) -> None:
    texts.names[other.index] = other.names
    location = f" {one.op.location}" if debug else ""
    texts.trailers[other.index] = location + (_comment(one.op, other, by_address) if users else "")


def _describe_block(
    one: Any, other: Block, by_address: dict[int, Node], texts: _Texts, *, users: bool, debug: bool
) -> None:
    lines = texts.headers[other.index] = []
    for offset, (argument, name) in enumerate(zip(one.block.arguments, other.names, strict=True), start=1):
        texts.names[other.index + offset] = [name]
        texts.trailers[other.index + offset] = f" {argument.location}" if debug else ""
        used = _users(argument, by_address)
        lines.append(f"// {name} is {f'used by {used}' if used else 'unused'}")


def _comment(op: ir.Operation, node: Node, by_address: dict[int, Node]) -> str:
    """` // users: %3, %4` and the other forms of mlir-opt."""
    results = list(op.results)
    if not results:
        return f" // id: {node.names[0]}" if len(op.operands) else ""
    owners = {address(use.owner): use.owner.operation for result in results for use in result.uses}
    if not owners:
        return " // unused"
    one = len(results) == len(owners) == 1 and all(len(owner.results) <= 1 for owner in owners.values())
    listed = [_users(result, by_address) or "unused" for result in results]
    shown = ", ".join(f"({each})" for each in listed) if len(results) > 1 else listed[0]
    return f" // {'user' if one else 'users'}: {shown}"


def _users(value: ir.Value, by_address: dict[int, Node]) -> str:
    """The results of the ops that use `value`, or the numbers of those without results."""
    owners = dict.fromkeys(address(use.owner) for use in value.uses)
    return ", ".join(name for each in owners if each in by_address for name in by_address[each].names)


def _place(tree: Tree, context: ir.Context) -> None:
    """Sets locations that are indices."""
    for each in tree:
        if isinstance(each, Node):
            each.op.location = _location(each.index, context)
            continue
        for offset, argument in enumerate(each.block.arguments, start=1):
            argument.set_location(_location(each.index + offset, context))


def _add_headers(tree: Tree, context: ir.Context, skipped: Sequence[str]) -> None:
    """Puts an op in front of each block that has arguments, but not inside ops whose names are `skipped`."""
    allowed = context.allow_unregistered_dialects
    context.allow_unregistered_dialects = True
    for each in tree:
        if isinstance(each, Block) and len(each.block.arguments) and each.block.owner.name not in skipped:
            with ir.InsertionPoint.at_block_begin(each.block), _location(each.index, context):
                ir.Operation.create("mlc.header")
    context.allow_unregistered_dialects = allowed


def _location(index: int, context: ir.Context) -> ir.Location:
    return ir.Location.name(f"{_MARK}{index}", context=context)


def _fill_in(text: str, texts: _Texts) -> str:
    aliases = {alias: int(index) for alias, index in _ALIAS.findall(text)}
    text = _ALIAS.sub("", text)
    conflicts = _conflicts(text)

    def trailer(match: re.Match[str]) -> str:
        index = aliases[match[1]] if match[1] else int(match[2])
        # The op in front of a block: found again by its index.
        return f" @{_MARK}{index}" if index in texts.headers else texts.trailers[index]

    def name(match: re.Match[str]) -> str:
        index, conflict, suffix = int(match[1]), int(match[2] or -1), match[3] or ""
        group = _groups(texts.names[index])[conflicts[index].index(conflict)]
        return group[0].partition("#")[0] + suffix if suffix.startswith(":") else group[int(suffix[1:] or 0)]

    def header(match: re.Match[str]) -> str:
        return "".join(f"{match[1]}{line}\n" for line in texts.headers[int(match[2])])

    return _VALUE.sub(name, _HEADER.sub(header, _LOCATION.sub(trailer, text)))


def _conflicts(text: str) -> dict[int, list[int]]:
    """The numbers that the printer put behind each mark, -1 for none: the first group of an op's results has
    none, each further one a higher one.
    """
    found: dict[int, set[int]] = {}
    for index, conflict, _ in _VALUE.findall(text):
        found.setdefault(int(index), {-1}).add(int(conflict or -1))
    return {index: sorted(numbers) for index, numbers in found.items()}


def _groups(names: Sequence[str]) -> list[list[str]]:
    """The names of results by what is in front of `#`."""
    return [list(group) for _, group in groupby(names, key=lambda name: name.partition("#")[0])]
