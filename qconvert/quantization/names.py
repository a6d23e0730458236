"""A name for every value of a model, by which statistics, annotations and reports speak of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator

from qconvert.dialects import stablehlo
from qconvert.dialects.quant_region import RegionOp
from qconvert.interpreter.core import main_function
from qconvert.ir.locations import named, node_names
from qconvert.ir.types import element_type, is_float
from qconvert.support.errors import UsageError


def value_names(module: ModuleOp) -> dict[SSAValue, str]:
    """A name for every tensor value of ``@main`` and of the ``quant.region`` ops in it.

    An argument has its input's name. The value that leaves a source node, for another node or as an output, has that
    node's name; what else leaves it is ``node:1``, ``node:2`` and so on, then what else it computes, operands first. An
    op without a node counts as one, named by its own name with a number. No two values have one name, but those that
    are one value: a region's result and what it returns, an argument of its body and what it is given. Names stay as
    they are when ops are wrapped in regions or taken out of them.
    """
    function = main_function(module)
    flat = _Flat(function)
    names: dict[SSAValue, str] = input_names(function)
    nameless = flat.nameless(set(names.values()))
    groups: dict[str, list[SSAValue]] = defaultdict(list)
    for value in flat.values:
        groups[node_of(value) or nameless[_maker(value)]].append(value)
    taken = set(names.values())
    for group, values in groups.items():
        leaving = flat.leaving(values)
        if leaving is not None and group not in taken:
            names[leaving] = group
            taken.add(group)
    for group, values in groups.items():
        numbered = _numbers(group, taken)
        names |= {value: next(numbered) for value in flat.leaving_first(values) if value not in names}
    return names | {alias: names[value] for alias, value in flat.aliases.items() if value in names}


def name_nodes(module: ModuleOp) -> None:
    """Give every op that has no source node one of its own, in place, named as its value is.

    Rewrites carry it along: what is known of ``add:2`` stays with that value when they do away with ``add:1``.
    """
    for function in module.ops:
        if isinstance(function, FuncOp) and len(function.body.blocks) == 1:
            inputs = set(input_names(function).values())
            for op, name in _Flat(function).nameless(inputs).items():
                op.location = named(name)


def values_by_name(module: ModuleOp) -> dict[str, SSAValue]:
    """The values of ``@main`` and its regions by name; of a region's result and what it returns, the result."""
    names = value_names(module)
    found: dict[str, SSAValue] = {}
    for value in sorted(names, key=_depth):
        found.setdefault(names[value], value)
    return found


def boundary_values(module: ModuleOp) -> dict[str, SSAValue]:
    """The float values between source nodes, by name: inputs that are used, and what leaves a node or the model.

    What no input has a part in is left out, and so is what is not used.
    """
    function = main_function(module)
    flat = _Flat(function)
    names = value_names(module)
    varying: dict[SSAValue, None] = dict.fromkeys(function.body.block.args)
    for value in flat.values:
        if any(operand in varying for operand in _operands(value.owner)):
            varying[value] = None
    leaving = [value for value in varying if flat.leaves(value) and (flat.users[value] or value in flat.returned)]
    return {names[value]: value for value in leaving if _is_tensor(value) and is_float(element_type(value))}


def check_nodes(module: ModuleOp, wanted: Iterable[str]) -> None:
    """Raise UsageError for a name that no source node of a module has."""
    nodes = dict.fromkeys(name for op in module.walk() for name in node_names(op.location))
    for name in wanted:
        if name not in nodes:
            known = f"it has {nearest(name, nodes)}" if nodes else "its nodes have no names"
            raise UsageError(f"the model has no node '{name}' to exclude; {known}")


def nearest(name: str, known: Collection[str]) -> str:
    """The names most like one that is not there, else the first, for an error to list."""
    return ", ".join(get_close_matches(name, known, n=3) or list(known)[:5])


def flattened(block: Block) -> Iterator[Operation]:
    """The ops of a block as if no ``quant.region`` was there: its ops in its place; without terminators."""
    for op in block.ops:
        if isinstance(op, RegionOp):
            yield from flattened(op.body.block)
        elif not op.has_trait(IsTerminator):
            yield op


def resolved(value: SSAValue) -> SSAValue:
    """What a value is where it is made: through results of ``quant.region`` ops and arguments of their bodies."""
    while (source := _source(value)) is not None:
        value = source
    return value


def _source(value: SSAValue) -> SSAValue | None:
    owner = value.owner
    if isinstance(value, OpResult) and isinstance(owner, RegionOp):
        return owner.returned[value.index]
    region = owner.parent_op() if isinstance(owner, Block) else None
    return region.inputs[value.index] if isinstance(value, BlockArgument) and isinstance(region, RegionOp) else None


def node_of(value: SSAValue) -> str | None:
    """The source node that a value is computed for: the last of those that its op stands for."""
    owner = resolved(value).owner
    nodes = node_names(owner.location) if isinstance(owner, Operation) else ()
    return nodes[-1] if nodes else None


class _Flat:
    """``@main`` without its regions: values in an order that wrapping does not change, and what each is used by."""

    def __init__(self, function: FuncOp) -> None:
        block = function.body.block
        self.ops = list(flattened(block))
        self.users: dict[SSAValue, list[Operation]] = defaultdict(list)
        for op in self.ops:
            for operand in _operands(op):
                self.users[operand].append(op)
        terminator = block.last_op
        self.returned = [resolved(value) for value in terminator.operands] if terminator is not None else []
        self.values = [result for op in self._ordered() for result in op.results if _is_tensor(result)]
        self.aliases = {value: resolved(value) for value in _region_ports(function) if _is_tensor(value)}

    def _ordered(self) -> list[Operation]:
        """Every op after those that make its operands, from what is returned on; the unused ones at the end."""
        order: dict[Operation, None] = {}
        roots = [value.owner for value in self.returned if isinstance(value.owner, Operation)]
        stack = [(root, False) for root in reversed([*roots, *self.ops])]
        while stack:
            op, is_ready = stack.pop()
            if op in order:
                continue
            if is_ready:
                order[op] = None
                continue
            stack.append((op, True))
            makers = [operand.owner for operand in _operands(op)]
            stack += [(maker, False) for maker in reversed(makers) if isinstance(maker, Operation)]
        return list(order)

    def leaving(self, values: list[SSAValue]) -> SSAValue | None:
        """The last of a node's values that another node uses, that is returned or unused; constants only if alone."""
        leaving = [value for value in values if self.leaves(value)]
        computed = [value for value in leaving if not isinstance(value.owner, stablehlo.ConstantOp)]
        candidates = computed or leaving
        return candidates[-1] if candidates else None

    def leaving_first(self, values: list[SSAValue]) -> list[SSAValue]:
        """A node's values, those that others take in front."""
        return sorted(values, key=lambda value: not self.leaves(value))

    def nameless(self, taken: set[str]) -> dict[Operation, str]:
        """Names for the ops that have no source node: their own and a number, which no node and no input has."""
        taken = taken.union(node for value in self.values if (node := node_of(value)))
        numbers: dict[str, Iterator[str]] = {}
        names: dict[Operation, str] = {}
        for op in dict.fromkeys(_maker(value) for value in self.values if not node_of(value)):
            short = op.name.rpartition(".")[2]
            names[op] = next(numbers.setdefault(short, _numbers(short, taken)))
        return names

    def leaves(self, value: SSAValue) -> bool:
        """Whether another node uses a value, the model returns it, or nobody uses it."""
        users = self.users[value]
        node = node_of(value)
        is_used_inside = bool(users) and all(node_of(user.results[0]) == node for user in users if user.results)
        return value in self.returned or not (is_used_inside and node is not None)


def _operands(op: Operation | Block) -> Iterator[SSAValue]:
    """What an op is given, and what the ops in its regions take from outside; nothing for a block."""
    for inner in op.walk() if isinstance(op, Operation) else ():
        for operand in inner.operands:
            if inner is op or not op.is_ancestor(operand.owner):
                yield resolved(operand)


def _maker(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner


def _numbers(group: str, taken: set[str]) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        if (name := f"{group}:{number}") not in taken:
            taken.add(name)
            yield name


def input_names(function: FuncOp) -> dict[SSAValue, str]:
    """The arguments' names in order, as the source has them, or by their numbers."""
    arguments = function.body.block.args
    given = function.attributes.get("input_names")
    names = [f"arg{i}" for i in range(len(arguments))]
    if isinstance(given, ArrayAttr) and len(given) == len(arguments):
        names = [
            entry.data if isinstance(entry, StringAttr) else name for entry, name in zip(given, names, strict=True)
        ]
    return dict(zip(arguments, names, strict=True))


def _region_ports(function: FuncOp) -> Iterator[SSAValue]:
    for op in function.walk():
        if isinstance(op, RegionOp):
            yield from op.outputs
            yield from op.body.block.args


def _is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def _depth(value: SSAValue) -> int:
    """How many ops are around a value."""
    op = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    depth = -1 if isinstance(value.owner, Operation) else 0
    while op is not None:
        depth, op = depth + 1, op.parent_op()
    return depth
