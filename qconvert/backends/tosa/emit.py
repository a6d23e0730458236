"""Conversion of the IR to a module that TOSA's own tools validate and run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from qconvert.backends.base import Emission, Profile
from qconvert.backends.elements import check_elements
from qconvert.backends.tosa.accelerator import ANY_HARDWARE, Accelerator
from qconvert.backends.tosa.accumulate import AccumulateNormalizations
from qconvert.backends.tosa.contracts import CONTRACTS
from qconvert.backends.tosa.decompose import DecomposeToFloats
from qconvert.backends.tosa.element_types import check_element_types
from qconvert.backends.tosa.layout import NhwcIO
from qconvert.backends.tosa.level import check_level
from qconvert.backends.tosa.lowering import Lowering
from qconvert.backends.tosa.options import HalfRounding, TosaOptions
from qconvert.backends.tosa.proved import ProvedLowering
from qconvert.backends.tosa.target import attach_target, elements
from qconvert.dialects.port_names import QUANTIZED_TYPE, TENSOR_NAME, given_argument_names, given_result_names
from qconvert.expansion.expander import tosa_type
from qconvert.ir import UniformQuantizedType, element_type, is_float, source_nodes
from qconvert.passes.casts.widen_products import WidenProducts
from qconvert.passes.cleanup.cse import CommonSubexpressionElimination
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.passes.cleanup.strip_attributes import StripAttributes
from qconvert.passes.fusion.dehybridize import Dehybridize
from qconvert.passes.fusion.expand_hybrids import ExpandHybrids
from qconvert.passes.layout.order_broadcasts import OrderBroadcasts
from qconvert.passes.layout.sink_transposes import SinkTransposes
from qconvert.passes.reductions.expand_reduction_conversions import ExpandReductionConversions
from qconvert.passes.reductions.split_reductions import SplitReductions
from qconvert.passes.reductions.widen_reductions import WidenReductions
from qconvert.passes.rescaling.combine_rescales import CombineRescales
from qconvert.passes.rescaling.limit_rescales import LimitRescales
from qconvert.passes.rescaling.tabulate import Tabulate
from qconvert.passes.storage.quantized_io import QuantizedIO
from qconvert.passes.storage.signed_storage import SignedStorage
from qconvert.passes.storage.widen_storage import WidenStorage
from qconvert.rewriting import (
    AfterPass,
    OpProof,
    Pass,
    PassResult,
    Refusal,
    check_contracts,
    is_widening_sum,
    run_passes,
)
from qconvert.support.errors import ConversionError, FloatsRemainError


@dataclass(frozen=True)
class StableHloToTosa(Pass):
    """Rewrite every function of StableHLO's and qconvert's ops to one of TOSA's ops.

    ::

        convolution, add, uniform_quantize

        tosa.conv2d, tosa.rescale
    """

    name = "stablehlo-to-tosa"
    rounding: HalfRounding = HalfRounding.UP
    integers: bool = False
    """True if floats between quantized values are computed in integers where they have such a form."""
    accelerator: Accelerator = ANY_HARDWARE

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every function with a body.

        Raises ConversionError naming the node that breaks a contract or has no form in TOSA.
        """
        check_contracts(module, CONTRACTS, "TOSA")
        functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
        lower = [ProvedLowering(self.rounding, integers=self.integers, accelerator=self.accelerator) for _ in functions]
        for function, lowering in zip(functions, lower, strict=True):
            _lower_function(function, lowering)
        refusals = tuple(refusal for lowering in lower for refusal in lowering.refusals)
        return PassResult(bool(functions), refusals, tuple(proof for lowering in lower for proof in lowering.proofs))


def _lower_function(function: FuncOp, lower: Lowering) -> None:
    """Lower a function's body to a new body."""
    old = function.body.block
    types = [tosa_type(argument) for argument in old.args]
    block = Block(arg_types=types)
    for argument, made in zip(old.args, block.args, strict=True):
        lower.define(argument, made)
    terminator = old.last_op
    assert isinstance(terminator, ReturnOp)
    for op in old.ops:
        if op is not terminator:
            lower.visit(op)
    results = [lower.whole(value) for value in terminator.operands]
    block.add_ops([*lower.ops, ReturnOp(*results)])
    function.detach_region(function.body)
    function.add_region(Region(block))
    function.properties["function_type"] = FunctionType.from_lists(types, [value.type for value in results])
    function.properties |= _described(
        "arg_attrs", given_argument_names(function), [element_type(argument) for argument in old.args]
    )
    function.properties |= _described(
        "res_attrs", given_result_names(function), [element_type(value) for value in terminator.operands]
    )


def _described(target: str, names: Sequence[str | None], elements: Sequence[Attribute]) -> dict[str, Attribute]:
    """Return ports with ``tosa.tensor_name``, which the serializer keeps, and ``tosa.quantized_type`` if quantized.

    The prefix of ``tosa.quantized_type`` makes MLIR load TOSA's dialect and with it ``quant``; else MLIR would not know
    the type.
    MLIR's program aborts on types of blocks: they are refused. Raises ConversionError.
    """
    names = names or (None,) * len(elements)
    for i, (name, element) in enumerate(zip(names, elements, strict=True)):
        if isinstance(element, UniformQuantizedType) and element.is_sub_channel:
            found = f"TOSA has no {'argument' if target == 'arg_attrs' else 'result'} with scales for blocks"
            raise ConversionError(found, hint="Quantize it by one scale", node=name or str(i))
    entries: list[dict[str, Attribute]] = []
    for name, element in zip(names, elements, strict=True):
        entry: dict[str, Attribute] = {} if name is None else {TENSOR_NAME: StringAttr(name)}
        entries.append(entry | ({QUANTIZED_TYPE: element} if isinstance(element, UniformQuantizedType) else {}))
    return {target: ArrayAttr(map(DictionaryAttr, entries))} if any(entries) else {}


def passes(options: TosaOptions) -> tuple[Pass, ...]:
    """Return the passes that convert the IR to TOSA, in order."""
    return (
        ExpandHybrids(),
        WidenProducts(),
        Dehybridize(),  # TOSA has no op that takes floats and integers
        *((QuantizedIO(),) if options.quantizes_edges else ()),
        *((NhwcIO(),) if options.nhwc_io else ()),
        SplitReductions(),
        ExpandReductionConversions(),
        WidenReductions(keeps=is_widening_sum),
        WidenStorage(),
        SignedStorage(),
        Tabulate(),
        *((AccumulateNormalizations(),) if options.profile is Profile.INT else ()),
        DecomposeToFloats(),
        SinkTransposes(),
        OrderBroadcasts(),
        CommonSubexpressionElimination(),
        DeadCodeElimination(),
        StableHloToTosa(options.rounding, options.profile is Profile.INT, options.npu),
        CombineRescales(),
        *options.npu.forms(nhwc_io=options.nhwc_io),
        LimitRescales(),
        CommonSubexpressionElimination(),
        DeadCodeElimination(),
        *options.npu.last_forms(),
        DeadCodeElimination(),  # no op may be left that no result depends on
    )


def lower(module: ModuleOp, options: TosaOptions) -> ModuleOp:
    """Return a copy of ``module`` in TOSA's ops and types.

    Raises ConversionError naming the node that has no form in TOSA or, in the ``int`` profile, the nodes in floats.
    """
    lowered = module.clone()
    _lower(lowered, options)
    return lowered


def emit(module: ModuleOp, options: TosaOptions, *, in_place: bool = False, after: AfterPass | None = None) -> Emission:
    """Return the lowered module without qconvert's own attributes; RESCALE expresses every rounding."""
    lowered = module if in_place else module.clone()
    proofs = _lower(lowered, options, StripAttributes(), after=after)
    attach_target(lowered)
    return Emission(lowered, 0, proofs=proofs)


def _lower(module: ModuleOp, options: TosaOptions, *more: Pass, after: AfterPass | None = None) -> tuple[OpProof, ...]:
    """Lower ``module`` in place and check it; the passes ``more`` run last, before the module is verified.

    Returns the proofs of the ops.
    """
    check_elements(module, "TOSA", after)
    steps = (*passes(options), *more)
    results = run_passes(module, steps, after=after)
    check_level(module)
    check_element_types(module)
    if options.profile is Profile.INT:
        lowered = [result for step, result in zip(steps, results, strict=True) if isinstance(step, StableHloToTosa)]
        _refuse_floats(module, [refusal for result in lowered for refusal in result.refusals])
    return tuple(proof for result in results for proof in result.proofs)


def _refuse_floats(module: ModuleOp, refusals: Sequence[Refusal]) -> None:
    """Raise ConversionError naming the source's nodes that compute in floats, with the reasons that are known."""
    floats = [op for op in module.walk() if any(map(is_float, elements(op)))]
    nodes = dict.fromkeys(name for op in floats if not isinstance(op, FuncOp) for name in source_nodes(op))
    if floats:
        known = {refusal.node: refusal for refusal in refusals if refusal.node in nodes}
        reasons = {node: refusal.reason for node, refusal in known.items()}
        raise FloatsRemainError("tosa", list(nodes), reasons, {node: known[node].refused_by for node in known})
