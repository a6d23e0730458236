"""Which of a target's kernels serves a region: the first of its name whose ports take what is there."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import NamedTuple, TypeAlias

from qconvert.dialects.quant_region import RegionOp
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import element_type, is_float
from qconvert.quantization.network import Network
from qconvert.quantization.region_ports import port_specs
from qconvert.quantization.signature import PortRef, PortType, Side
from qconvert.quantization.target import Kernel, Target
from qconvert.quantization.values import Constraint
from qconvert.support.errors import ConversionError

_Test: TypeAlias = Callable[[PortType, Storage], bool]


def choose_kernel(target: Target, region: RegionOp, network: Network) -> Kernel:
    """The first kernel whose ports have the storage that is set, asked for and, if there is one, arriving.

    An annotation of another signedness of the same width is served too, where nothing serves it as it is, and after
    that parameters of another width, which then say what range the value has. Raises ConversionError for a kernel the
    target does not have, and where none of its signatures serves the region.
    """
    name = region.logical_kernel.data
    known = target.named(name)
    if not known:
        raise _unknown(target, name)
    counts = len(region.inputs), len(region.outputs)
    candidates = [kernel for kernel in known if kernel.signature.spread(*counts) is not None]
    if not candidates:
        hint = f"Target {target.name} has {_listed(known)}"
        raise ConversionError(f"kernel '{name}' has {counts[0]} inputs and {counts[1]} outputs here", hint=hint)
    for ease in _EASES:
        for kernel in candidates:
            if _serves(kernel, region, network, ease):
                return kernel
    hint = f"Target {target.name} has {_listed(candidates)}"
    raise ConversionError(f"kernel '{name}' cannot have {_requests(region, network)}", hint=hint)


def _exactly(port: PortType, storage: Storage) -> bool:
    return port.storage in (None, storage)


def _by_width(port: PortType, storage: Storage) -> bool:
    return port.storage is None or port.storage.width == storage.width


def _anything(_port: PortType, _storage: Storage) -> bool:
    return True


class _Ease(NamedTuple):
    """How a port's storage must fit one that is asked for, that of parameters asked for, one that arrives."""

    asked: _Test
    exact: _Test
    arriving: _Test


_EASES = tuple(
    _Ease(asked, exact, arriving)
    for asked, exact in ((_exactly, _exactly), (_by_width, _by_width), (_by_width, _anything))
    for arriving in (_exactly, _anything)
)


def _serves(kernel: Kernel, region: RegionOp, network: Network, ease: _Ease) -> bool:
    types = kernel.signature.spread(len(region.inputs), len(region.outputs))
    assert types is not None, "of the right number"
    for type, place in zip((*types[0], *types[1]), port_specs(region), strict=True):
        value = network.at(region, place)
        if type.is_float or not is_float(element_type(value.root)):
            continue
        found = network.parameters.get((region, place))
        if found is not None:
            if not _exactly(type, found.storage):
                return False
            continue
        said = _said(region, place, network)
        if said.storage is not None:
            if not (ease.asked if said.uniform is None else ease.exact)(type, said.storage):
                return False
            continue
        given = network.arriving(value) if place.side is Side.INPUT else None
        if given is not None and not ease.arriving(type, given.storage):
            return False
    return True


def _said(region: RegionOp, place: PortRef, network: Network) -> Constraint:
    """What the port's own spec asks for, else the model of its value."""
    hint = network.hint(region, place)
    return hint if hint.storage is not None else network.at(region, place).constraint


def _requests(region: RegionOp, network: Network) -> str:
    """What is set or asked for at the ports, in words."""
    found: list[str] = []
    for place in port_specs(region):
        parameters = network.parameters.get((region, place))
        storage = _said(region, place, network).storage
        if parameters is not None:
            found.append(f"{parameters.storage} at {place}, which is set")
        elif storage is not None:
            found.append(f"{storage} at {place}, which is annotated")
    return " and ".join(found) or "its ports"


def _unknown(target: Target, name: str) -> ConversionError:
    close = get_close_matches(name, target.kernel_names, 3)
    near = f", perhaps as {' or '.join(close)}" if close else ""
    return ConversionError(
        f"target {target.name} has no kernel '{name}'{near}",
        hint=f"Leave it float with --fallback float, or exclude the node; it has {', '.join(target.kernel_names)}",
    )


def _listed(kernels: tuple[Kernel, ...] | list[Kernel]) -> str:
    return ", ".join(str(kernel) for kernel in kernels)
