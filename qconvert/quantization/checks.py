"""Whether the specs of a module's regions are what a target can run, told from the specs and the target's data alone.

Nothing of propagation is used here: this is what its results are held against.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from qconvert.dialects.quant_region import RegionOp
from qconvert.ir.quant import UniformQuantizedType
from qconvert.quantization.region_ports import axis_at, uniform_ports
from qconvert.quantization.rules import FixedScale, MultiplierAccumulatorScale, MultiplierScale, SameScale
from qconvert.quantization.signature import PortRef, PortType, input_port, output_port
from qconvert.quantization.target import Kernel, Target
from qconvert.quantization.violation import Violation, violation

_PRODUCT_TOLERANCE = 1e-6
"""How far a bias may be from the product of the scales: models hold it in f32."""


def check_target(module: ModuleOp, target: Target) -> list[Violation]:
    """The violations of all regions, in program order; what is not quantized violates nothing."""
    return [
        violation
        for region in module.walk()
        if isinstance(region, RegionOp) and uniform_ports(region)
        for violation in _check(region, target)
    ]


def _check(region: RegionOp, target: Target) -> Iterator[Violation]:
    yield from (found for check in target.checks for found in check(region))
    named = target.named(region.logical_kernel.data)
    typed = [(kernel, types) for kernel in named if (types := _types(kernel, region)) is not None]
    if not typed:
        yield violation("kernel", region, None, f"target {target.name} has no such kernel of so many ports")
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


def _types(kernel: Kernel, region: RegionOp) -> dict[PortRef, PortType] | None:
    spread = kernel.signature.spread(len(region.inputs), len(region.outputs))
    if spread is None:
        return None
    inputs = {input_port(i): type for i, type in enumerate(spread[0])}
    return inputs | {output_port(i): type for i, type in enumerate(spread[1])}


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
    elif isinstance(rule, MultiplierScale | MultiplierAccumulatorScale):
        product = rule.product if isinstance(rule, MultiplierScale) else rule.bias
        if product in types:
            yield from product_violations("product-scale", region, found, rule.factors, product)


def product_violations(
    check: str,
    region: RegionOp,
    found: dict[PortRef, UniformQuantizedType],
    factors: Iterable[PortRef],
    product: PortRef,
) -> Iterator[Violation]:
    """Whether a port's scales are the products of two others', its zero points 0."""
    lhs, rhs = (found.get(port) for port in factors)
    spec = found.get(product)
    if spec is None or lhs is None or rhs is None:
        return
    expected = lhs.scales * rhs.scales
    close = expected.shape == spec.scales.shape and np.allclose(spec.scales, expected, rtol=_PRODUCT_TOLERANCE, atol=0)
    if not close or spec.zero_points.any():
        yield violation(check, region, product, f"{spec} is not the product of {lhs} and {rhs}")
