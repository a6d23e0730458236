"""The ports of a module's regions, the values between them, and the parameters known so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import OpResult, SSAValue

from qconvert.dialects.quant_region import RegionOp
from qconvert.ir import UniformQuantizedType
from qconvert.quantization.constraints import Constraints
from qconvert.quantization.region_ports import port_specs, port_value
from qconvert.quantization.signature import PortRef, Side, input_port, output_port
from qconvert.quantization.values import Constraint, Value, values_at

RegionPort: TypeAlias = tuple[RegionOp, PortRef]


class Network:
    """The state of propagation; parameters are only added, never changed."""

    def __init__(self, module: ModuleOp, constraints: Constraints) -> None:
        self.module = module
        self.regions = [op for op in module.walk() if isinstance(op, RegionOp)]
        self.order = {region: index for index, region in enumerate(self.regions)}
        self.parameters: dict[RegionPort, UniformQuantizedType] = {}
        self._values = values_at(_port_values(self.regions), constraints)
        self._users: dict[Value, list[RegionPort]] = defaultdict(list)
        self._members: dict[Hashable, dict[Value, None]] = defaultdict(dict)
        self._settled: dict[Hashable, UniformQuantizedType] = {}
        self._floats: set[RegionOp] = set()
        self._hints = {
            (region, place): Constraint.of_spec(spec)
            for region in self.regions
            for place, spec in port_specs(region).items()
        }
        for region in self.regions:
            for index, port in enumerate(region.inputs):
                self._users[self.value(port)].append((region, input_port(index)))
        for value in dict.fromkeys(self._values.values()):
            self._members[value.key][value] = None

    def value(self, port: SSAValue) -> Value:
        """Return the value at a port."""
        return self._values[port]

    def leave_float(self, region: RegionOp) -> None:
        """Mark a region as not quantized."""
        self._floats.add(region)

    def assign(self, region: RegionOp, place: PortRef, found: UniformQuantizedType) -> None:
        """Give a port its parameters, and also its value if no quantized kernel makes the value."""
        self.parameters[region, place] = found
        value = self.at(region, place)
        if place.side is Side.OUTPUT or self.maker(value) is None:
            self._settled.setdefault(value.key, found)

    def at(self, region: RegionOp, place: PortRef) -> Value:
        """Return the value at a port of a region."""
        return self.value(port_value(region, place))

    def hint(self, region: RegionOp, place: PortRef) -> Constraint:
        """Return the constraint of the port's own spec."""
        return self._hints[region, place]

    def maker(self, value: Value) -> RegionPort | None:
        """Return the port that makes a value in integers; None for arguments, constants and floats."""
        root = value.root
        if isinstance(root, OpResult) and isinstance(root.owner, RegionOp) and root.owner not in self._floats:
            return root.owner, output_port(root.index)
        return None

    def users(self, value: Value) -> list[RegionPort]:
        """Return the input ports that take a value, in program order, without ports that stay float."""
        return [place for place in self._users[value] if place[0] not in self._floats]

    def arriving(self, value: Value) -> UniformQuantizedType | None:
        """Return the parameters in which an input's value arrives; a constant is quantized anew for every port."""
        made = self.parameters.get(maker) if (maker := self.maker(value)) is not None else None
        if made is not None:
            return made
        is_alone = value.key is value.root
        return None if is_alone and value.constant is not None else self._settled.get(value.key)

    def group_settled(self, value: Value) -> UniformQuantizedType | None:
        """Return the parameters of a value coupled to this one."""
        return None if value.key is value.root else self._settled.get(value.key)

    def wanted(self, value: Value) -> UniformQuantizedType | None:
        """Return the parameters of the first port that takes the value, or a value coupled to it."""
        places = [place for member in self._members[value.key] for place in self.users(member)]
        known = (self.parameters.get(place) for place in sorted(places, key=self._program_order))
        return next((found for found in known if found is not None), None)

    def _program_order(self, place: RegionPort) -> tuple[int, int]:
        return self.order[place[0]], place[1].index

    def neighbours(self, region: RegionOp, place: PortRef) -> set[RegionOp]:
        """Return the regions that take or make a port's value or a value coupled to it."""
        found: set[RegionOp] = set()
        for member in self._members[self.at(region, place).key]:
            found.update(user for user, _ in self.users(member))
            maker = self.maker(member)
            found.update([] if maker is None else [maker[0]])
        return found | {region}


def _port_values(regions: list[RegionOp]) -> Iterator[SSAValue]:
    for region in regions:
        yield from (*region.inputs, *region.outputs)
