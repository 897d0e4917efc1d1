"""The names that upstream's printer gives to values, worked out again where its flags are out of reach.

The bindings can neither number the ops without results, as `--mlir-print-value-users` does, nor number
values across regions, as `--mlir-print-unique-ssa-ids` does. This follows `SSANameState` of MLIR's
AsmPrinter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mlc.bindings import ir

_NUMBER = re.compile(r"%\d+(#\d+)?")
_ARGUMENT = re.compile(r"%arg\d+")


@dataclass
class Block:
    """A block with the names of its arguments; `index` is unique in the tree, and so is that of an op.

    The arguments' indices follow the block's.
    """

    index: int
    block: ir.Block
    nodes: list[Node] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


@dataclass
class Node:
    """An op with the names of its results, or the number that stands for it."""

    index: int
    op: ir.Operation
    regions: list[list[Block]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


def make_tree(root: ir.Operation) -> list[Node | Block]:
    """`root`, and the blocks and ops inside it, from outside to inside, in an order that is the same for
    equal IR. Not recursive: ops may be nested deeper than Python's stack.
    """
    order: list[Node | Block] = []
    waiting: list[Node | Block] = [Node(0, root)]
    index = 0
    while waiting:
        each = waiting.pop()
        each.index, index = index, index + 1
        order.append(each)
        if isinstance(each, Node):
            each.regions = [[Block(0, block) for block in region] for region in each.op.regions]
            waiting += [block for region in reversed(each.regions) for block in reversed(region)]
        else:
            index += len(each.block.arguments)
            each.nodes = [Node(0, op.operation) for op in each.block.operations]
            waiting += reversed(each.nodes)
    return order


@dataclass
class Numbering:
    """Fills in the names of a tree. `users` gives numbers to ops without results, `unique` starts no region
    again at the number of the region around it, `generic` ignores the names that ops propose.
    """

    users: bool
    unique: bool
    generic: bool
    _value: int = 0
    _argument: int = 0
    _taken: set[str] = field(default_factory=set)

    def fill(self, root: Node) -> None:
        """Names everything inside `root`, which nothing holds."""
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

    def _block(self, block: Block, state: ir.AsmState, *, is_entry: bool) -> None:
        for argument in block.block.arguments:
            name = argument.get_name(state)
            if is_entry and (self.generic or _ARGUMENT.fullmatch(name)):
                name, self._argument = f"%arg{self._argument}", self._argument + 1
            elif self.generic or _NUMBER.fullmatch(name):
                name, self._value = f"%{self._value}", self._value + 1
            else:
                name = self._proposed(name)
            block.names.append(name)
        for node in block.nodes:
            self._op(node, state)

    def _op(self, node: Node, state: ir.AsmState) -> None:
        results = list(node.op.results)
        if not results:
            if self.users:
                node.names.append(f"%{self._value}")
                self._value += 1
            return
        given = [result.get_name(state) for result in results]
        if self.generic:
            given = [f"%0#{index}" if len(results) > 1 else "%0" for index in range(len(results))]
        number = f"%{self._value}"
        if _NUMBER.fullmatch(given[0]):
            self._value += 1
        for name in given:
            is_number = _NUMBER.fullmatch(name)
            node.names.append(f"{number}{is_number[1] or ''}" if is_number else self._proposed(name))

    def _proposed(self, name: str) -> str:
        """A name that an op proposed; made unique where upstream would only keep it so in its region."""
        base, hash_sign, position = name.partition("#")
        if self.unique and position in ("", "0"):
            number = 0
            while base in self._taken:
                base, number = f"{name.partition('#')[0]}_{number}", number + 1
            self._taken.add(base)
        return f"{base}{hash_sign}{position}"
