"""The choice of a kernel for a region: the first kernel of its name whose ports fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from qconvert.dialects.quant_region import RegionOp
from qconvert.ir import Storage, element_type, is_float
from qconvert.quantization.network import Network
from qconvert.quantization.region_ports import port_specs, port_types
from qconvert.quantization.signature import PortRef, PortType, Side
from qconvert.quantization.target import Kernel, Target
from qconvert.quantization.values import Constraint
from qconvert.support.errors import ConversionError
from qconvert.support.suggestions import perhaps

_Test: TypeAlias = Callable[[PortType, Storage], bool]


def choose_kernel(target: Target, region: RegionOp, network: Network) -> Kernel:
    """Return the first kernel whose ports have the storage that is set, annotated and, if there is one, arriving.

    If no kernel has the annotated storage, another signedness of the same width is accepted, and after that parameters
    of another width, which then only give the value's range; at last more bits than ``any`` asks for.
    Raises ConversionError for a kernel that the target does not have, and if no signature fits the region.
    """
    name = region.logical_kernel.data
    known = target.named(name)
    if not known:
        raise _unknown(target, name)
    candidates = [kernel for kernel in known if port_types(kernel.signature, region) is not None]
    if not candidates:
        found = f"kernel '{name}' has {len(region.inputs)} inputs and {len(region.outputs)} outputs here"
        raise ConversionError(found, hint=f"Target {target.name} has {_listed(known)}")
    for tests in _TESTS:
        for kernel in candidates:
            if _serves(kernel, region, network, tests):
                return kernel
    hint = f"Target {target.name} has {_listed(candidates)}"
    raise ConversionError(f"kernel '{name}' cannot have {_requests(region, network)}", hint=hint)


def _exactly(port: PortType, storage: Storage) -> bool:
    return port.storage in (None, storage)


def _by_width(port: PortType, storage: Storage) -> bool:
    return port.storage is None or port.storage.width == storage.width


def _at_least(port: PortType, storage: Storage) -> bool:
    return port.storage is None or port.storage.width >= storage.width


def _anything(_port: PortType, _storage: Storage) -> bool:
    return True


class _Tests(NamedTuple):
    """Tests of a port's storage: against an annotated storage, annotated parameters, and arriving parameters."""

    asked: _Test
    exact: _Test
    arriving: _Test


_TESTS = tuple(
    _Tests(asked, exact, arriving)
    for asked, exact in (
        (_exactly, _exactly),
        (_by_width, _by_width),
        (_by_width, _anything),
        (_at_least, _anything),
    )
    for arriving in (_exactly, _anything)
)


def _serves(kernel: Kernel, region: RegionOp, network: Network, tests: _Tests) -> bool:
    types = port_types(kernel.signature, region)
    assert types is not None, "the kernel has as many ports as the region"
    for place, type in types.items():
        value = network.at(region, place)
        if type.is_float or not is_float(element_type(value.root)):
            continue
        found = network.parameters.get((region, place))
        if found is not None:
            if not _exactly(type, found.storage):
                return False
            continue
        asked = _annotation(region, place, network)
        if asked.storage is not None:
            if not (tests.asked if asked.uniform is None else tests.exact)(type, asked.storage):
                return False
            continue
        given = network.arriving(value) if place.side is Side.INPUT else None
        if given is not None and not tests.arriving(type, given.storage):
            return False
    return True


def _annotation(region: RegionOp, place: PortRef, network: Network) -> Constraint:
    """Return the annotation of the port's own spec; if it has no storage, the annotation of its value."""
    hint = network.hint(region, place)
    return hint if hint.storage is not None else network.at(region, place).constraint


def _requests(region: RegionOp, network: Network) -> str:
    """Return the storages that are set or annotated at the ports, as text."""
    found: list[str] = []
    for place in port_specs(region):
        parameters = network.parameters.get((region, place))
        storage = _annotation(region, place, network).storage
        if parameters is not None:
            found.append(f"{parameters.storage} at {place}, which is set")
        elif storage is not None:
            found.append(f"{storage} at {place}, which is annotated")
    return " and ".join(found) or "its ports"


def _unknown(target: Target, name: str) -> ConversionError:
    return ConversionError(
        f"target {target.name} has no kernel '{name}'{perhaps(name, target.kernel_names)}",
        hint="Leave it float with --fallback float, or exclude the node",
    )


def _listed(kernels: tuple[Kernel, ...] | list[Kernel]) -> str:
    return ", ".join(str(kernel) for kernel in kernels)
