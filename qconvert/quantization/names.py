"""Names for all values of a model, which statistics, annotations and reports use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator

from qconvert.dialects import stablehlo
from qconvert.dialects.port_names import argument_names
from qconvert.dialects.quant_region import RegionOp
from qconvert.interpreter.core import main_function
from qconvert.ir import is_float_tensor, named, node_names
from qconvert.support.errors import UsageError
from qconvert.support.suggestions import nearest


def value_names(module: ModuleOp) -> dict[SSAValue, str]:
    """Return a name for every tensor value of ``@main`` and of the ``quant.region`` ops in it.

    An argument has its input's name. The value that leaves a source node, for another node or as an output, has that
    node's name. Further values that leave the node are ``node:1``, ``node:2`` and so on, followed by the node's inner
    values, operands first. An op without a node counts as a node, named by its own name with a number. Names are
    unique, except that a region's result and the returned value share a name, and so do an argument of its body and the
    operand. Names do not change when ops are wrapped in regions or taken out of them.
    """
    function = main_function(module)
    unwrapped = _Unwrapped(function)
    names: dict[SSAValue, str] = input_names(function)
    nameless = unwrapped.nameless(set(names.values()))
    groups: dict[str, list[SSAValue]] = defaultdict(list)
    for value in unwrapped.values:
        groups[node_of(value) or nameless[_maker(value)]].append(value)
    taken = set(names.values())
    for group, values in groups.items():
        leaving = unwrapped.leaving(values)
        if leaving is not None and group not in taken:
            names[leaving] = group
            taken.add(group)
    for group, values in groups.items():
        numbered = _numbers(group, taken)
        names |= {value: next(numbered) for value in unwrapped.leaving_first(values) if value not in names}
    return names | {alias: names[value] for alias, value in unwrapped.aliases.items() if value in names}


def name_nodes(module: ModuleOp) -> None:
    """Give every op without a source node a node of its own, in place, named as its value is.

    Rewrites keep the nodes: annotations of ``add:2`` stay with that value when a rewrite removes ``add:1``.
    """
    for function in module.ops:
        if isinstance(function, FuncOp) and len(function.body.blocks) == 1:
            inputs = set(input_names(function).values())
            for op, name in _Unwrapped(function).nameless(inputs).items():
                op.location = named(name)


def values_by_name(module: ModuleOp) -> dict[str, SSAValue]:
    """Return the values of ``@main`` and its regions by name.

    For a region's result and its returned value, the result.
    """
    names = value_names(module)
    found: dict[str, SSAValue] = {}
    for value in sorted(names, key=_depth):
        found.setdefault(names[value], value)
    return found


def boundary_values(module: ModuleOp) -> dict[str, SSAValue]:
    """Return the float values between source nodes, by name: used inputs, and values that leave a node or the model.

    Values that do not depend on an input, and unused values, are left out.
    """
    function = main_function(module)
    unwrapped = _Unwrapped(function)
    names = value_names(module)
    varying: dict[SSAValue, None] = dict.fromkeys(function.body.block.args)
    for value in unwrapped.values:
        if any(operand in varying for operand in _operands(value.owner)):
            varying[value] = None
    leaving = [
        value
        for value in varying
        if unwrapped.leaves(value) and (unwrapped.users[value] or value in unwrapped.returned)
    ]
    return {names[value]: value for value in leaving if is_float_tensor(value)}


def check_nodes(module: ModuleOp, wanted: Iterable[str]) -> None:
    """Raise UsageError for a name that no source node of a module has."""
    nodes = dict.fromkeys(name for op in module.walk() for name in node_names(op.location))
    for name in wanted:
        if name not in nodes:
            known = f"it has {nearest(name, nodes)}" if nodes else "its nodes have no names"
            raise UsageError(f"the model has no node '{name}' to exclude; {known}")


def flattened(block: Block) -> Iterator[Operation]:
    """Yield the ops of a block, with the ops of a ``quant.region`` in its place; without terminators."""
    for op in block.ops:
        if isinstance(op, RegionOp):
            yield from flattened(op.body.block)
        elif not op.has_trait(IsTerminator):
            yield op


def resolved(value: SSAValue) -> SSAValue:
    """Return the value behind results of ``quant.region`` ops and arguments of their bodies."""
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
    """Return the source node that a value is computed for: the last node of its op."""
    owner = resolved(value).owner
    nodes = node_names(owner.location) if isinstance(owner, Operation) else ()
    return nodes[-1] if nodes else None


class _Unwrapped:
    """``@main`` without its regions: values in an order that does not depend on wrapping, and their users."""

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
        """Return every op after the ops that make its operands, from the returned values on; unused ops come last."""
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
        """Return the last of a node's values that leaves the node; a constant only if no computed value leaves it."""
        leaving = [value for value in values if self.leaves(value)]
        computed = [value for value in leaving if not isinstance(value.owner, stablehlo.ConstantOp)]
        candidates = computed or leaving
        return candidates[-1] if candidates else None

    def leaving_first(self, values: list[SSAValue]) -> list[SSAValue]:
        """Return a node's values, with values that leave the node first."""
        return sorted(values, key=lambda value: not self.leaves(value))

    def nameless(self, taken: set[str]) -> dict[Operation, str]:
        """Return names for the ops without a source node: the op's name and a number, unique among nodes and inputs."""
        taken = taken.union(node for value in self.values if (node := node_of(value)))
        numbers: dict[str, Iterator[str]] = {}
        names: dict[Operation, str] = {}
        for op in dict.fromkeys(_maker(value) for value in self.values if not node_of(value)):
            short = op.name.rpartition(".")[2]
            names[op] = next(numbers.setdefault(short, _numbers(short, taken)))
        return names

    def leaves(self, value: SSAValue) -> bool:
        """Return whether another node uses a value, the model returns it, or nothing uses it."""
        users = self.users[value]
        node = node_of(value)
        is_used_inside = bool(users) and all(node_of(user.results[0]) == node for user in users if user.results)
        return value in self.returned or not (is_used_inside and node is not None)


def _operands(op: Operation | Block) -> Iterator[SSAValue]:
    """Yield the operands of an op and the outside values that its regions use; nothing for a block."""
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
    """Return the arguments' names in order, from the source or by their numbers."""
    return dict(zip(function.body.block.args, argument_names(function), strict=True))


def _region_ports(function: FuncOp) -> Iterator[SSAValue]:
    for op in function.walk():
        if isinstance(op, RegionOp):
            yield from op.outputs
            yield from op.body.block.args


def _is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def _depth(value: SSAValue) -> int:
    """Return the number of ops around a value."""
    op = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    depth = -1 if isinstance(value.owner, Operation) else 0
    while op is not None:
        depth, op = depth + 1, op.parent_op()
    return depth
