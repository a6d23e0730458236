"""The driver: one walk in program order that builds each replacement beside its op; old ops are erased at the end."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from qconvert.dialects import stablehlo
from qconvert.dialects.func import CallOp
from qconvert.dialects.traits import Layer, PassesIntegers, absence
from qconvert.dialects.verify import STORAGE_WIDTHS
from qconvert.expansion.registry import is_integer
from qconvert.ir import (
    ARITHMETIC,
    PLAIN_WIDTHS,
    TENSOR,
    UniformQuantizedType,
    arithmetic,
    describe,
    is_quantized_element,
    place,
    tensor,
)
from qconvert.passes.composites.decompose_composites import NO_COMPOSITES
from qconvert.passes.fusion.legalize_quantized_op_to_qdq import computes_on_quantized
from qconvert.passes.rescaling.legalize_quant_to_math.elementwise import through_float
from qconvert.passes.rescaling.legalize_quant_to_math.rules import RULES, Rule, RuleContext, on_storage, plain
from qconvert.passes.storage.widen_storage import WidenStorage
from qconvert.rewriting import Pass, PassResult, builder_before, converts, erase, no_op
from qconvert.support.errors import ConversionError


def _converts_quantized(op: Operation) -> bool:
    return isinstance(op, stablehlo.ReductionOp) and _is_touched(op) and converts(op)


def _has_quantized_types(op: Operation) -> bool:
    return any(_is_quantized(type) for type in _types(op))


def _has_odd_storages(op: Operation) -> bool:
    elements = (type.element_type for type in _types(op) if isinstance(type, TensorType))
    return any(
        isinstance(element, UniformQuantizedType) and element.storage.width not in PLAIN_WIDTHS for element in elements
    )


NO_CONVERTING_REDUCTIONS = no_op("reductions that do not convert (widen-reductions)", _converts_quantized)
NO_QUANTIZED_TYPES = no_op("no quantized type", _has_quantized_types)
PLAIN_STORAGES = no_op("storages of 1, 2, 4, 8, 16 or 32 bits (widen-storage)", _has_odd_storages)


def _types(op: Operation) -> list[Attribute]:
    arguments = [type for region in op.regions for block in region.blocks for type in block.arg_types]
    signature = op.function_type if isinstance(op, FuncOp) else FunctionType.from_lists([], [])
    return [*op.result_types, *arguments, *signature.inputs, *signature.outputs]


def _is_quantized(type: Attribute) -> bool:
    return isinstance(type, TensorType) and is_quantized_element(type.element_type)


def _is_touched(op: Operation) -> bool:
    return any(_is_quantized(type) for type in (*op.operand_types, *op.result_types))


class LegalizeQuantToMath(Pass):
    """Write quantized ops in plain integer and float arithmetic; function signatures take storage integers.

    ::

        q8 x, q8 w ── convolution ── q32 a ── uniform_quantize ── q8 y

        i8 x ── convert ── subtract zx ─┐
        i8 w ── convert ── subtract zw ─┴ convolution ── i32 a ── convert f64 ── multiply s_a
            ── divide s_y ── add zy ── round_nearest_even ── clamp ── convert ── i8 y

    The integers are those of the interpreter, bit by bit, in the rounding of the op's arithmetic. Sums of 32-bit
    accumulators wrap where the interpreter reports an overflow. Ops without a rule raise ConversionError.
    """

    name = "legalize-quant-to-math"
    requires = (NO_COMPOSITES, NO_CONVERTING_REDUCTIONS, PLAIN_STORAGES)
    ensures = (NO_QUANTIZED_TYPES,)

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every function in place. Storage of 1 bit is widened first: a plain i1 is a truth value."""
        rewriting = _Rewriting()
        WidenStorage(STORAGE_WIDTHS).apply(module)
        for block in module.body.blocks:
            rewriting.convert_block(block)
        rewriting.erase_replaced()
        return PassResult(rewriting.changed)


@dataclass(slots=True)
class _Rewriting:
    """The replacements of values so far. Old ops and arguments keep their types until the end."""

    values: dict[SSAValue, SSAValue] = field(default_factory=dict)
    replaced: list[Operation] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        return bool(self.values or self.replaced)

    def convert_region(self, region: Region) -> None:
        for block in region.blocks:
            self.convert_block(block)

    def convert_block(self, block: Block) -> None:
        for argument in tuple(block.args):
            if _is_quantized(argument.type):
                self.values[argument] = block.insert_arg(plain(tensor(argument)), argument.index)
        for op in tuple(block.ops):
            self._convert_op(op)

    def _convert_op(self, op: Operation) -> None:
        if _is_touched(op) and not op.has_trait(IsTerminator):
            self._replace(op)
            return
        for index, value in enumerate(op.operands):
            if value in self.values:
                op.operands[index] = self.values[value]
        for region in op.regions:
            self.convert_region(region)
        if isinstance(op, FuncOp):
            _update_signature(op)

    def _replace(self, op: Operation) -> None:
        build = builder_before(op)
        operands = tuple(self.values.get(value, value) for value in op.operands)
        context = RuleContext(operands, build, arithmetic(op), self.convert_region)
        try:
            results = _rule(op)(op, context)
        except ConversionError as error:
            raise error.located(node=describe(op), op=op.name, file=place(op)) from error
        made = results if isinstance(results, tuple) else (results,)
        for new in build.ops:
            for name in (ARITHMETIC, TENSOR):
                new.attributes.pop(name, None)
        if TENSOR in op.attributes and isinstance(made[0].owner, Operation):
            made[0].owner.attributes.setdefault(TENSOR, op.attributes[TENSOR])
        self.values.update(zip(op.results, made, strict=True))
        self.replaced.append(op)

    def erase_replaced(self) -> None:
        for op in reversed(self.replaced):
            erase(op)
        for value in self.values:
            if isinstance(value, BlockArgument):
                value.owner.erase_arg(value)


def _rule(op: Operation) -> Rule:
    if is_integer(op):
        raise ConversionError("it follows LiteRT's integer arithmetic", hint="Run the pass expand-litert first")
    if op.has_trait(PassesIntegers) or isinstance(op, CallOp):
        return on_storage
    rule = RULES.get(type(op)) or (through_float if computes_on_quantized(op) else None)
    if rule is None:
        raise ConversionError(absence(op, Layer.MATH) or "there is no plain form of this op on quantized values")
    return rule


def _update_signature(function: FuncOp) -> None:
    """Put storage integers into a function's signature, also for a declaration."""
    signature = function.function_type
    inputs, outputs = (
        [plain(type) if isinstance(type, TensorType) else type for type in types]
        for types in (signature.inputs, signature.outputs)
    )
    function.function_type = FunctionType.from_lists(inputs, outputs)
