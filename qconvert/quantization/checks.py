"""Checks of a module's regions against a target, from the specs and the target's data alone.

The checks share no code with propagation, because they verify its results.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from qconvert.dialects.quant_region import RegionOp
from qconvert.ir import UniformQuantizedType, same_scales
from qconvert.quantization.region_ports import axis_at, port_types, uniform_ports
from qconvert.quantization.rules import FACTORS, FixedScale, MultiplierAccumulatorScale, MultiplierScale, SameScale
from qconvert.quantization.signature import PortRef, PortType
from qconvert.quantization.target import Kernel, Target
from qconvert.quantization.violation import Violation, violation


def check_target(module: ModuleOp, target: Target) -> list[Violation]:
    """Return the violations of all regions, in program order; regions that are not quantized have none."""
    return [
        violation
        for region in module.walk()
        if isinstance(region, RegionOp) and uniform_ports(region)
        for violation in _check(region, target)
    ]


def _check(region: RegionOp, target: Target) -> Iterator[Violation]:
    yield from (found for check in target.checks for found in check(region))
    named = target.named(region.logical_kernel.data)
    typed = [(kernel, types) for kernel in named if (types := port_types(kernel.signature, region)) is not None]
    if not typed:
        yield violation("kernel", region, None, f"target {target.name} has no kernel of this name with as many ports")
        return
    found = uniform_ports(region)
    serving = [
        (kernel, types)
        for kernel, types in typed
        if all(types[port].storage in (None, spec.storage) and not types[port].is_float for port, spec in found.items())
    ]
    kernel, types = (serving or typed)[0]
    for port, spec in found.items():
        yield from _port(region, port, types[port], spec)
    yield from _relations(region, kernel, types, found)


def _port(region: RegionOp, port: PortRef, type: PortType, spec: UniformQuantizedType) -> Iterator[Violation]:
    if type.is_float:
        yield violation("float-port", region, port, f"it is {spec}, where floats are needed")
        return
    if type.storage not in (None, spec.storage):
        yield violation("storage", region, port, f"it is stored as {spec.storage}, not as {type.storage}")
    if type.symmetric and spec.zero_points.any():
        yield violation("zero-point", region, port, f"{spec} has a zero point that is not 0")
    axis = axis_at(region, port, type.axis)
    if spec.is_sub_channel or (spec.is_per_axis and spec.quantization_dimension != axis):
        allowed = "per tensor" if axis is None else f"per tensor or along dimension {axis}"
        yield violation("axis", region, port, f"{spec}, where scales must be {allowed}")


def _relations(
    region: RegionOp, kernel: Kernel, types: dict[PortRef, PortType], found: dict[PortRef, UniformQuantizedType]
) -> Iterator[Violation]:
    rule = kernel.rule
    if isinstance(rule, SameScale):
        group = {port: spec for port, spec in found.items() if not rule.places or port in rule.places}
        if len(set(group.values())) > 1:
            port, spec = next(iter(group.items()))
            others = ", ".join(str(each) for each in dict.fromkeys(group.values()) if each != spec)
            yield violation("same-scale", region, port, f"{spec} beside {others}")
    elif isinstance(rule, FixedScale):
        for port in rule.places:
            fixed = found.get(port)
            needed = ((rule.scale,), (rule.zero_point,))
            if fixed is not None and (fixed.data.scales, fixed.data.zero_points) != needed:
                yield violation("fixed-scale", region, port, f"{fixed}, not {rule.scale}:{rule.zero_point}")
    elif isinstance(rule, MultiplierScale | MultiplierAccumulatorScale) and rule.product in types:
        yield from product_violations("product-scale", region, found, rule.product)


def product_violations(
    check: str,
    region: RegionOp,
    found: dict[PortRef, UniformQuantizedType],
    product: PortRef,
) -> Iterator[Violation]:
    """Yield a violation if a port's scales are not the products of the first two, or a zero point is not 0."""
    lhs, rhs = (found.get(port) for port in FACTORS)
    spec = found.get(product)
    if spec is None or lhs is None or rhs is None:
        return
    expected = lhs.scales * rhs.scales
    close = expected.shape == spec.scales.shape and same_scales(spec.scales, expected)
    if not close or spec.zero_points.any():
        yield violation(check, region, product, f"{spec} is not the product of {lhs} and {rhs}")
