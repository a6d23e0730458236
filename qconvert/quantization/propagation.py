"""Propagation: parameters for every port of every ``quant.region`` from the annotations of some values.

Source: the MLIR RFC "A Proposal for Implementing Quantization Transformations", section on propagation. It is greedy: a
port keeps its parameters, so propagation ends. It is deterministic: regions are visited in program order, with strong
evidence before weak (:class:`~qconvert.quantization.ports.Evidence`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from heapq import heapify, heappop, heappush
from typing import cast

from xdsl.dialects.builtin import AnyFloat, ArrayAttr, ModuleOp, NoneType
from xdsl.ir import Attribute

from qconvert.dialects.quant_region import PortSpec, RegionOp, unknown_spec
from qconvert.ir import element_type, is_float_tensor, node_names, whereabouts
from qconvert.quantization.constraints import Constraints
from qconvert.quantization.kernel_choice import choose_kernel
from qconvert.quantization.names import check_nodes
from qconvert.quantization.network import Network
from qconvert.quantization.ports import Evidence, Port, PortConstraints, Ports
from qconvert.quantization.region_ports import axis_at, output_feature, port_types, port_value
from qconvert.quantization.report import Report, report_on
from qconvert.quantization.signature import PortRef, PortType, Side
from qconvert.quantization.target import Fallback, Kernel, Target
from qconvert.quantization.values import Value
from qconvert.support.errors import ConversionError


def propagate(
    module: ModuleOp,
    target: Target,
    constraints: Constraints | None = None,
    *,
    fallback: Fallback | None = None,
    excluded: Collection[str] = (),
) -> Report:
    """Give the ports of all regions parameters, in place; a second run changes nothing.

    ``fallback`` replaces the target's rule for kernels that it does not have. Regions of source nodes in ``excluded``
    stay float. Raises UsageError for an unknown excluded node. Raises ConversionError naming node and kernel for an
    unknown kernel, for annotated or given parameters that the kernel cannot have, and for annotations that contradict
    each other.
    """
    work = _Propagation(module, target, constraints or Constraints(), fallback or target.fallback)
    work.leave_float(excluded)
    for level in Evidence:
        work.run(level)
    work.write()
    return report_on(work.network, work.target, work.floats, work.ports_now)


class _Propagation:
    def __init__(self, module: ModuleOp, target: Target, constraints: Constraints, fallback: Fallback) -> None:
        self.network = Network(module, constraints)
        self.target = target
        self.fallback = fallback
        self.floats: dict[RegionOp, str] = {}
        """The reason why each region stays float."""
        self._done: set[RegionOp] = set()
        """Regions whose ports all have parameters."""

    def leave_float(self, excluded: Collection[str]) -> None:
        """Decide which regions stay float, before any port is set."""
        names = set(excluded)
        check_nodes(self.network.module, sorted(names))
        for region in self.network.regions:
            reason = self._float_reason(region, names)
            if reason is not None:
                self.floats[region] = reason
                self.network.leave_float(region)

    def _float_reason(self, region: RegionOp, excluded: set[str]) -> str | None:
        if excluded.intersection(node_names(region.location)):
            return "it is excluded"
        try:
            kernel = choose_kernel(self.target, region, self.network)
        except ConversionError as error:
            if self.fallback is Fallback.FLOAT:
                return error.found
            raise error.located(node=whereabouts(region)) from None
        for _, place, _ in _typed(region, kernel, self.network):
            if self._is_asked_float(region, place):
                return f"{place} is annotated to stay float"
        return None

    def run(self, level: Evidence) -> None:
        """Visit the regions, and each again after a neighbour has changed, until nothing changes."""
        order = self.network.order
        queue = [index for index, region in enumerate(self.network.regions) if self._is_open(region)]
        heapify(queue)
        waiting = set(queue)
        while queue:
            index = heappop(queue)
            waiting.discard(index)
            region = self.network.regions[index]
            if not self._is_open(region):
                continue
            for changed in self._visit(region, level):
                following = {order[other] for other in self.network.neighbours(region, changed)}
                for other in sorted(following - waiting):
                    if self._is_open(self.network.regions[other]):
                        heappush(queue, other)
                        waiting.add(other)

    def _is_open(self, region: RegionOp) -> bool:
        return region not in self.floats and region not in self._done

    def _visit(self, region: RegionOp, level: Evidence) -> list[PortRef]:
        try:
            kernel, ports = self.ports_now(region, level)
            before = {port.place for port in ports.all if port.parameters is not None}
            kernel.rule(ports)
        except ConversionError as error:
            raise error.located(node=whereabouts(region), op=region.logical_kernel.data) from None
        if all(port.parameters is not None for port in ports.all):
            self._done.add(region)
        updated = [port for port in ports.all if port.parameters is not None and port.place not in before]
        for port in updated:
            assert port.parameters is not None
            self.network.assign(region, port.place, port.parameters)
        return [port.place for port in updated]

    def ports_now(self, region: RegionOp, level: Evidence) -> tuple[Kernel, Ports]:
        """Return the kernel that serves a region, and its quantized ports with their current parameters."""
        kernel = choose_kernel(self.target, region, self.network)
        ports: dict[Side, list[Port]] = {Side.INPUT: [], Side.OUTPUT: []}
        for value, place, type in _typed(region, kernel, self.network):
            ports[place.side].append(self._port(region, value, place, type))
        return kernel, Ports(ports[Side.INPUT], ports[Side.OUTPUT], level)

    def _port(self, region: RegionOp, value: Value, place: PortRef, type: PortType) -> Port:
        expressed = cast("AnyFloat", element_type(value.root))
        features = output_feature(region, place.index) if place.side is Side.INPUT else None
        axis = axis_at(region, place, type.axis)
        known = self._known(region, value, place)
        port = Port(place, type, expressed, known, axis=axis, features=features)
        port.parameters = self.network.parameters.get((region, place))
        return port

    def _known(self, region: RegionOp, value: Value, place: PortRef) -> PortConstraints:
        own = self.network.hint(region, place)
        of_value = value.constraint
        is_output = place.side is Side.OUTPUT
        return PortConstraints(
            annotation=own.uniform or of_value.uniform,
            storage=own.storage or of_value.storage,
            least=own.least or of_value.least,
            range=own.range or of_value.range,
            settled=self.network.group_settled(value) if is_output else self.network.arriving(value),
            wanted=self.network.wanted(value) if is_output else None,
            constant=None if is_output else value.constant,
            is_made_here=is_output or self.network.maker(value) is None,
        )

    def write(self) -> None:
        """Write the parameters into the regions' specs; unknown specs stay as they were given.

        A region that stays float gets unknown specs, and ``none`` where the model asks for it.
        """
        for region in self.network.regions:
            inputs, outputs = region.specs
            region.input_specs = self._specs(region, Side.INPUT, inputs)
            region.output_specs = self._specs(region, Side.OUTPUT, outputs)

    def _specs(self, region: RegionOp, side: Side, given: tuple[PortSpec, ...]) -> ArrayAttr[Attribute]:
        places = [PortRef(side, i) for i in range(len(given))]
        if region in self.floats:
            return ArrayAttr([self._float_spec(region, place) for place in places])
        found = [self.network.parameters.get((region, place)) for place in places]
        return ArrayAttr([spec or known for spec, known in zip(found, given, strict=True)])

    def _float_spec(self, region: RegionOp, place: PortRef) -> PortSpec:
        is_asked = self._is_asked_float(region, place)
        return NoneType() if is_asked else unknown_spec(port_value(region, place))

    def _is_asked_float(self, region: RegionOp, place: PortRef) -> bool:
        """Return whether the port, or its value, is annotated to stay float."""
        return self.network.hint(region, place).is_float or self.network.at(region, place).constraint.is_float


def _typed(region: RegionOp, kernel: Kernel, network: Network) -> Iterator[tuple[Value, PortRef, PortType]]:
    """Yield the quantized ports with their values, without ports of integers and ports that the target leaves float."""
    types = port_types(kernel.signature, region)
    assert types is not None, "the kernel has as many ports as the region"
    for place, type in types.items():
        if is_float_tensor(port_value(region, place)) and not type.is_float:
            yield network.at(region, place), place, type
