"""Regions coarser than a target's kernels, split into regions of one kernel each.

Values between the kernels are quantized too. Their parameters are derived from the ports by the first of these rules
that applies:

1. Parameters in a hint at the op that makes the value (``qconvert.hint``).
2. The parameters of the kernel's other side, if the kernel moves or selects elements (``max_pool``, ``reshape``,
   ``relu``); forward only if it averages them.
3. The range of a function that has one (``logistic`` is between 0 and 1), or the range in a hint.
4. Behind an addition, the range that can still matter: for a sum in [a, b] with one summand in [c, d], the other
   summand is in [a - d, b - c]. Values outside saturate the sum anyway.
5. The range of a sum, difference or product of operands with known ranges.

A value that is to stay float (``none``, as a port's spec or a hint) gets no parameters. A constant inside is quantized
over its own range. Ranges get the storage of the region's output.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyFloat, ArrayAttr, NoneType
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert import numerics
from qconvert.dialects.quant_region import RegionOp, unknown_spec
from qconvert.dialects.traits import Range, TakesElements
from qconvert.ir import HINT, CalibratedQuantizedType, Storage, UniformQuantizedType, describe, element_type, is_float
from qconvert.quantization.fusion import DEFAULT_PATTERNS, fuse_block, inline
from qconvert.quantization.fusion.kernel_names import kernel_of, kernels_with, ops_with
from qconvert.quantization.ranges import Range as ValueRange
from qconvert.rewriting import constant_of
from qconvert.support.errors import ConversionError

Parameters: TypeAlias = dict[SSAValue, UniformQuantizedType]


def _bounds(kind: type[Operation]) -> Range:
    bounds = kind.get_trait(Range)
    assert bounds is not None
    return bounds


_SAME = kernels_with(TakesElements) | {"max_pool", "reduce_max", "reduce_min", "relu"}
_WIDEST, _WIDE = 16, 8
_AVERAGES = frozenset({"average_pool", "mean", "resize"})
_COMBINED = {"add": np.add, "multiply": np.multiply, "subtract": np.subtract}
_RANGES = {kernel_of(kind): bounds for kind in ops_with(Range) if isfinite((bounds := _bounds(kind)).maximum)}


def refine(region: RegionOp) -> None:
    """Replace a region of several kernels by its kernels.

    Raises ConversionError naming a node in between whose parameters cannot be derived, if the region's ports are all
    uniform.
    """
    block = region.body.block
    fuse_block(block, DEFAULT_PATTERNS)
    kernels = [op for op in block.ops if isinstance(op, RegionOp)]
    if len(kernels) == 1 and len(list(block.ops)) == 2:  # the kernel and the return
        inline(kernels[0])
        return
    try:
        _set_specs(region, kernels)
    except ConversionError as error:
        raise error.located(node=describe(region), op=region.name) from error
    inline(region)


def _set_specs(region: RegionOp, kernels: list[RegionOp]) -> None:
    """Give the kernels inside a region their specs, derived from the region's own ports."""
    ports = [*zip(region.body.block.args, region.specs[0], strict=True)]
    results = [*zip(region.returned, region.specs[1], strict=True)]
    known: Parameters = {value: spec for value, spec in (*results, *ports) if isinstance(spec, UniformQuantizedType)}
    floats = {value for value, spec in (*results, *ports) if isinstance(spec, NoneType)}
    floats |= {kernel.outputs[0] for kernel in kernels if isinstance(_hint(kernel), NoneType)}
    likeness = next((spec for _, spec in (*results, *ports) if _is_activation(spec)), None)
    if isinstance(likeness, UniformQuantizedType):
        _Derivation(known, floats, likeness.storage, likeness.expressed_type).run(kernels)
    if all(value in known for value, _ in (*ports, *results) if is_float(element_type(value))):
        for kernel in kernels:
            _check_known(kernel, known.keys() | floats)
    for kernel in kernels:
        for name, values in (("input_specs", kernel.inputs), ("output_specs", kernel.outputs)):
            specs = [NoneType() if value in floats else known.get(value, unknown_spec(value)) for value in values]
            kernel.properties[name] = ArrayAttr(specs)


def _is_activation(spec: Attribute) -> bool:
    return isinstance(spec, UniformQuantizedType) and spec.is_per_tensor and spec.storage.width <= _WIDEST


def _check_known(kernel: RegionOp, known: AbstractSet[SSAValue]) -> None:
    for value in (*kernel.inputs, *kernel.outputs):
        if is_float(element_type(value)) and value not in known:
            maker = value.owner if isinstance(value.owner, RegionOp) else kernel
            raise ConversionError(
                f"the result of '{maker.logical_kernel.data}' inside a larger kernel has no scale and zero point",
                node=describe(maker),
                op=maker.name,
                hint=f"Give its op the attribute {HINT}, or use patterns whose kernels end at this op",
            )


@dataclass(frozen=True, slots=True)
class _Derivation:
    """Derives parameters from those that are ``known``, until no more follow; known parameters never change.

    Values in ``floats`` get no parameters.
    """

    known: Parameters
    floats: AbstractSet[SSAValue]
    storage: Storage
    expressed: AnyFloat

    def run(self, kernels: list[RegionOp]) -> None:
        """Apply the strongest rule that finds parameters, then start again with the first rule."""
        for kernel in kernels:
            self._read(kernel)
        rules = (self._follow, self._take_ranges, self._take_summands, self._combine_ranges)
        before = -1
        while len(self.known) > before:
            before = len(self.known)
            for rule in rules:
                rule(kernels)
                if len(self.known) > before:
                    break

    def _read(self, kernel: RegionOp) -> None:
        """Learn the parameters of constants and of hints."""
        for value in kernel.inputs:
            constant = constant_of(value)
            if constant is not None and is_float(element_type(value)):
                self._learn(value, self._over(float(constant.array.min()), float(constant.array.max())))
        hint = _hint(kernel)
        if isinstance(hint, UniformQuantizedType):
            self._learn(kernel.outputs[0], hint)

    def _follow(self, kernels: list[RegionOp]) -> None:
        """Copy the parameters of one side of a kernel to the other, forwards and then backwards."""
        for kernel in kernels:
            types = {self.known[value] for value in kernel.inputs if value in self.known}
            if kernel.logical_kernel.data in _SAME | _AVERAGES and len(types) == 1:
                self._learn(kernel.outputs[0], types.pop())
        for kernel in reversed(kernels):
            result = self.known.get(kernel.outputs[0])
            if kernel.logical_kernel.data in _SAME and result is not None:
                for value in kernel.inputs:
                    self._learn(value, result)

    def _take_ranges(self, kernels: list[RegionOp]) -> None:
        """Learn the ranges of functions and of hints."""
        for kernel in kernels:
            hint = _hint(kernel)
            bounds = _RANGES.get(kernel.logical_kernel.data)
            if bounds is not None:
                self._learn(kernel.outputs[0], self._over(bounds.minimum, bounds.maximum))
            elif isinstance(hint, CalibratedQuantizedType):
                self._learn(kernel.outputs[0], self._over(hint.data.minimum, hint.data.maximum))

    def _take_summands(self, kernels: list[RegionOp]) -> None:
        for kernel in reversed(kernels):
            name, result = kernel.logical_kernel.data, self.known.get(kernel.outputs[0])
            if name in ("add", "subtract") and result is not None:
                self._summands(kernel, result, -1 if name == "subtract" else 1)

    def _summands(self, kernel: RegionOp, result: UniformQuantizedType, sign: int) -> None:
        """Derive the range of the unknown operand of ``x + sign * y = z``."""
        (x, y), z = kernel.inputs, _ends(result)
        if x not in self.known and y in self.known:
            other = _ends(self.known[y]) * sign
            self._learn(x, self._over(*(z - np.sort(other)[::-1])))
        elif y not in self.known and x in self.known:
            other = _ends(self.known[x])
            self._learn(y, self._over(*np.sort((z - other[::-1]) * sign)))

    def _combine_ranges(self, kernels: list[RegionOp]) -> None:
        """Derive the range of a result from its two operands, until one follows."""
        for kernel in kernels:
            combine = _COMBINED.get(kernel.logical_kernel.data)
            operands = [self.known.get(value) for value in kernel.inputs]
            if combine is None or kernel.outputs[0] in self.known or None in operands:
                continue
            x, y = (_ends(operand) for operand in operands if operand is not None)
            corners = combine(x[:, None], y[None, :])
            self._learn(kernel.outputs[0], self._over(float(corners.min()), float(corners.max())))
            return

    def _learn(self, value: SSAValue, spec: UniformQuantizedType) -> None:
        if is_float(element_type(value)) and spec.is_per_tensor and value not in self.floats:
            self.known.setdefault(value, spec)

    def _over(self, low: float, high: float) -> UniformQuantizedType:
        """Return a type for a range and zero; with more than 8 bits, a type symmetric around zero."""
        low, high = min(low, 0.0), max(high, 0.0)
        if self.storage.width > _WIDE:
            low, high = -max(-low, high), max(-low, high)
        is_symmetric, signed = self.storage.width > _WIDE, self.storage.signed
        nudged = numerics.nudge_fake_quant(low, high, self.storage.width, is_symmetric, signed=signed)
        storage = Storage.full(self.storage.width, signed=signed)
        return UniformQuantizedType.per_tensor(storage, float(nudged.scale), int(nudged.zero_point), self.expressed)


def _hint(kernel: RegionOp) -> Attribute | None:
    """Return the hint of the op that makes a kernel's result."""
    maker = kernel.returned[0].owner
    return maker.attributes.get(HINT) if isinstance(maker, Operation) else None


def _ends(element: UniformQuantizedType) -> NDArray[np.float64]:
    found = ValueRange.of_parameters(element)
    return np.array([found.minimum, found.maximum])
