"""Quantization of the model itself, taken out as annotations; afterwards the model computes in floats."""

from __future__ import annotations

from collections import defaultdict

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.quant_ops import CoupledRefOp, IdentityOp, StatisticsOp, StatisticsRefOp, slice_count
from qconvert.dialects.quant_region import PortSpec
from qconvert.interpreter.core import dequantize, main_function
from qconvert.ir import (
    RANGE_NAMES,
    RANGES,
    ElementsAttr,
    UniformQuantizedType,
    element_type,
    is_float_tensor,
    quantized,
    quantized_element,
    shape,
    tensor,
)
from qconvert.passes.casts.convert_fake_quant import ConvertFakeQuant
from qconvert.passes.casts.quant_casts_to_stablehlo import QuantCastsToStableHlo
from qconvert.quantization.annotations import Annotations, calibrated
from qconvert.quantization.names import value_names
from qconvert.quantization.ranges import Range
from qconvert.quantization.signs import is_nonnegative
from qconvert.rewriting import builder_before, erase, erase_dead, known_array, replace, run_passes
from qconvert.support.errors import UsageError

SOURCE = "the model"


def lift(module: ModuleOp) -> Annotations:
    """Take quantization out of ``@main``, in place; return it as annotations of values that are floats now.

    * ``quant.stats`` gives a range. ``quant.stats_ref`` ops of one key share their range. ``quant.coupled_ref`` ops of
      one key couple their operands.
    * Fake quantization gives parameters, and so does a quantize whose integers are dequantized again. A clamp replaces
      an activation that a quantizer merged into its range. If a value is quantized in two ways, or dequantized and
      quantized in another way, the ops stay.
    * A dequantized constant becomes a float constant with parameters.

    Parameters of 32 bits, of biases and sums, are dropped, because a kernel's other parameters determine them.
    Quantized ops, arguments and results stay quantized.
    """
    lifted = _Lifted()
    block = main_function(module).body.block
    lifted.take_identities(block)
    run_passes(module, [ConvertFakeQuant(), QuantCastsToStableHlo()])
    lifted.take_constants(block)
    lifted.take_pairs(block)
    return lifted.annotations(module)


def noted_ranges(module: ModuleOp, file: str) -> Annotations:
    """Return the ranges that a TFLite file notes for its float tensors; raise UsageError for an invalid range."""
    function = main_function(module)
    names, ranges = function.attributes.get(RANGE_NAMES), function.attributes.get(RANGES)
    specs: dict[str, tuple[PortSpec, ...]] = {}
    if isinstance(names, ArrayAttr) and isinstance(ranges, ElementsAttr):
        for entry, (low, high) in zip(names, ranges.array.astype(float).tolist(), strict=True):
            name = entry.data if isinstance(entry, StringAttr) else ""
            try:
                specs[name] = (calibrated(Range(low, high)),)
            except UsageError as error:
                raise UsageError(f"{file}: tensor '{name}': {error}; convert the model again") from error
    return Annotations(file, specs, is_strict=False)


class _Lifted:
    def __init__(self) -> None:
        self._specs: dict[SSAValue, list[PortSpec]] = defaultdict(list)
        self._keys: dict[type[IdentityOp], dict[str, list[SSAValue]]] = {
            CoupledRefOp: defaultdict(list),
            StatisticsRefOp: defaultdict(list),
        }

    def annotations(self, module: ModuleOp) -> Annotations:
        """Return the annotations by the names that values have now."""
        names = value_names(module)
        groups = {
            kind: tuple(tuple(names[value] for value in dict.fromkeys(values)) for values in keys.values())
            for kind, keys in self._keys.items()
        }
        specs = {names[value]: tuple(specs) for value, specs in self._specs.items()}
        return Annotations(SOURCE, specs, groups[CoupledRefOp], groups[StatisticsRefOp], is_strict=False)

    def take_identities(self, block: Block) -> None:
        """Take statistics and couplings, in program order, so that no operand is the result of another such op."""
        for op in [op for op in block.ops if isinstance(op, IdentityOp)]:
            if isinstance(op, StatisticsOp):
                self._specs[op.arg].append(calibrated(_range(op)))
            elif isinstance(op, StatisticsRefOp | CoupledRefOp):
                self._keys[type(op)][op.key.data].append(op.arg)
            replace(op, op.arg)

    def take_constants(self, block: Block) -> None:
        """Take the parameters of dequantized constants."""
        for op in [op for op in block.ops if isinstance(op, stablehlo.UniformDequantizeOp)]:
            element, held = quantized(op.operand), known_array(op.operand)
            if element is None or held is None:
                continue
            value = builder_before(op).constant(dequantize(held, tensor(op.operand)), element_type(op.result))
            replace(op, value)
            if isinstance(op.operand.owner, Operation):
                erase_dead([op.operand.owner])
            if not element.is_sub_channel:
                self._say(value, element)

    def take_pairs(self, block: Block) -> None:
        """Take pairs of quantize and dequantize, and the parameters of a single quantize or dequantize, which stays."""
        ops = list(block.ops)
        for back in [op for op in ops if isinstance(op, stablehlo.UniformDequantizeOp)]:
            element, owner = quantized(back.operand), back.operand.owner
            is_pair = isinstance(owner, stablehlo.UniformQuantizeOp) and is_float_tensor(owner.operand)
            if element is not None and not is_pair:
                self._say(back.result, element)
        for op in [op for op in ops if isinstance(op, stablehlo.UniformQuantizeOp) and is_float_tensor(op.operand)]:
            if len(_ways(op.operand)) == 1:
                self._take_quantize(op)

    def _take_quantize(self, op: stablehlo.UniformQuantizeOp) -> None:
        element = quantized_element(op.result)
        if all(isinstance(use.operation, stablehlo.UniformQuantizeOp) for use in op.operand.uses):
            self._say(op.operand, element)
        value = _clipped(op, element)
        op.operands[0] = value
        self._say(value, element)
        for use in list(op.result.uses):
            back = use.operation
            if not isinstance(back, stablehlo.UniformDequantizeOp) or _ways(back.result) - {element}:
                continue
            replace(back, value)
        if not op.result.uses:
            erase(op)

    def _say(self, value: SSAValue, element: UniformQuantizedType) -> None:
        if element.storage.width < 32 and element not in self._specs[value]:
            self._specs[value].append(element)


def _ways(value: SSAValue) -> set[UniformQuantizedType]:
    """Return the types that a value is quantized to."""
    users = [use.operation for use in value.uses]
    elements = [quantized(user.result) for user in users if isinstance(user, stablehlo.UniformQuantizeOp)]
    return {element for element in elements if element is not None}


def _clipped(op: stablehlo.UniformQuantizeOp, element: UniformQuantizedType) -> SSAValue:
    """Return the quantize's operand, behind the ReLU or ReLU6 that a zero point at the storage's end implies.

    Quantizers merge activations into their range: onnxruntime's quantizer drops a Relu or Clip before a quantize. The
    new op has the quantize's name.
    """
    value, storage = op.operand, element.storage
    if not element.is_per_tensor or element.zero_point not in (storage.minimum, storage.maximum):
        return value
    if isinstance(value.owner, Block) or (element.zero_point == storage.minimum and is_nonnegative(value)):
        return value
    build = builder_before(op)
    low, high = ((end - element.zero_point) * element.scale for end in (storage.minimum, storage.maximum))
    return build.clamp(value, low, high)


def _range(op: StatisticsOp) -> Range:
    """Return the range that an op gives, with slices if they are slices of one dimension."""
    low, high = _pair(op.layer)
    if op.slices is None or op.axis is None:
        return Range(low, high)
    axis = op.axis.value.data
    sizes = shape(op.arg)
    if slice_count(sizes, axis) != sizes[axis]:
        return Range(low, high)
    rows = op.slices.array.astype(float).tolist()
    return Range(low, high, axis, tuple((first, last) for first, last in rows))


def _pair(elements: ElementsAttr) -> tuple[float, float]:
    low, high = elements.array.astype(float).tolist()
    return low, high
