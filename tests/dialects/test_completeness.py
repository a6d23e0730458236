"""Every layer has an answer for every op: a handler, a trait that tells what becomes of it, or a reason on the op."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

import numpy as np
import pytest
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.traits import ConstantLike, IsTerminator, OpTrait

from qconvert.backends.onnx.lowering import EMITTERS, TOSA_EMITTERS
from qconvert.backends.tflite.lowering import EMITTERS as TFLITE_EMITTERS
from qconvert.backends.tosa import TosaOptions
from qconvert.backends.tosa.emit import emit
from qconvert.backends.tosa.lowering import LITERT_LOWERINGS
from qconvert.backends.tosa.lowering import LOWERINGS as TOSA_LOWERINGS
from qconvert.dialects.check import Check
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.quant_ops import Quant
from qconvert.dialects.stablehlo import Atan2Op, StableHLO, TransposeOp
from qconvert.dialects.tosa import TOSA, ConstShapeOp
from qconvert.dialects.traits import (
    Bitwise,
    ComputesReals,
    Conversion,
    Elementwise,
    HandsOn,
    Layer,
    NotIn,
    PassesIntegers,
    absence,
)
from qconvert.expansion.registry import EXPANSIONS
from qconvert.frontends.mlir.context import QConvert
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.interpreter.implementation import IMPLEMENTATIONS
from qconvert.interpreter.implementation import TOSA as TOSA_IMPLEMENTATIONS
from qconvert.passes.fusion.legalize_qdq_to_quantized_op.rules import FUSIONS, SINKS
from qconvert.passes.layout.sinking_rules import RULES as SINKING
from qconvert.passes.rescaling.legalize_quant_to_math.rules import RULES as MATH
from qconvert.passes.rescaling.push_rescales.rules import RULES as PUSHING
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.rules import LOWERINGS as RESCALES
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.translation import TRANSLATIONS
from qconvert.quantization.fusion import DEFAULT_PATTERNS
from qconvert.support.errors import ConversionError
from tests.support.text_only import is_text_only

Kind = type[Operation]


@dataclass(frozen=True)
class Answers:
    """What a layer handles, and what answers for it where it has no handler.

    ``traits`` say what becomes of an op. ``decomposes`` is set where composites without a
    handler are written in primitives.
    """

    handled: tuple[Container[Kind], ...]
    traits: tuple[type[OpTrait], ...] = ()
    decomposes: bool = False


ANCHORS = {anchor for pattern in DEFAULT_PATTERNS for anchor in pattern.anchors}
ENDS = (ConstantLike, IsTerminator)
ANSWERS = {
    Layer.INTERPRETER: Answers((IMPLEMENTATIONS, TOSA_IMPLEMENTATIONS), (IsTerminator,), decomposes=True),
    Layer.ONNX: Answers((EMITTERS,), ENDS, decomposes=True),
    Layer.TOSA: Answers((TOSA_LOWERINGS, LITERT_LOWERINGS, EXPANSIONS), ENDS, decomposes=True),
    Layer.TFLITE: Answers((TFLITE_EMITTERS,), ENDS, decomposes=True),
    Layer.FUSION: Answers((FUSIONS, SINKS), (*ENDS, Bitwise, Conversion)),
    Layer.MATH: Answers((MATH,), (*ENDS, ComputesReals, PassesIntegers)),
    Layer.RESCALE: Answers((RESCALES,), (*ENDS, Bitwise, HandsOn)),
    Layer.PUSH: Answers((PUSHING,), (*ENDS, Bitwise, Conversion)),
    Layer.SINK: Answers((SINKING, (TransposeOp,)), (*ENDS, Elementwise)),
    Layer.TOSA_IN_ONNX: Answers((TOSA_EMITTERS,)),
    Layer.TRANSLATION: Answers((TRANSLATIONS, (ConstShapeOp,))),
    Layer.KERNELS: Answers((ANCHORS,), (*ENDS, Bitwise, Conversion)),
}
OF_TOSA = (Layer.TOSA_IN_ONNX, Layer.TRANSLATION)
"""The layers that take modules of TOSA."""
MODELS = (*StableHLO.operations, *QConvert.operations)
"""What models hold; the other dialects are made from them, or rewritten to them, by passes that name each op."""
EVERY = (*MODELS, *TOSA.operations, *Quant.operations, *Check.operations)


def answers(kind: Kind, layer: Layer) -> bool:
    layers = ANSWERS[layer]
    only_text = layer is not Layer.INTERPRETER and is_text_only(kind)  # then a text with the op is for StableHLO alone
    return (
        only_text
        or any(kind in handled for handled in layers.handled)
        or any(kind.has_trait(trait) for trait in layers.traits)
        or (layers.decomposes and issubclass(kind, CompositeOp))
        or absence(kind, layer) is not None
    )


@pytest.mark.parametrize("layer", Layer)
def test_every_op_has_an_answer(layer: Layer) -> None:
    kinds = {Layer.INTERPRETER: EVERY, **dict.fromkeys(OF_TOSA, TOSA.operations)}.get(layer, MODELS)
    missing = [kind.name for kind in kinds if not answers(kind, layer)]
    assert missing == [], f"give each a handler in the layer, a trait, or NotIn('the reason', Layer.{layer.name})"


def own_reasons(kind: Kind) -> set[NotIn]:
    """The reasons that the class gives itself; a base class's stand for those of its ops that have no handler."""
    inherited = {trait for base in kind.__mro__[1:] for trait in vars(base).get("traits", ())}
    return set(kind.get_traits_of_type(NotIn)) - inherited


@pytest.mark.parametrize("layer", Layer)
def test_no_handler_contradicts_the_op(layer: Layer) -> None:
    absent = [kind for kind in EVERY if any(layer in reason.layers for reason in own_reasons(kind))]
    assert [kind.name for kind in absent if any(kind in handled for handled in ANSWERS[layer].handled)] == []


def test_a_new_op_fails_until_each_layer_has_an_answer() -> None:
    @irdl_op_definition
    class NewOp(IRDLOperation):
        name = "stablehlo.new"

    assert not any(answers(NewOp, layer) for layer in Layer)


def test_the_reason_is_what_the_message_says() -> None:
    assert absence(Atan2Op, Layer.TOSA) == "no operator computes the angle of two numbers"
    body = "%0 = stablehlo.atan2 %x, %x : tensor<3xf32>\n  return %0 : tensor<3xf32>"
    text = f"func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{\n  {body}\n}}"
    with pytest.raises(ConversionError, match=r"stablehlo\.atan2: no operator computes the angle of two numbers"):
        emit(parse_module(text), TosaOptions())


def test_the_interpreter_says_the_reason() -> None:
    body = "%0 = stablehlo.cholesky %x : tensor<2x2xf32>\n  return %0 : tensor<2x2xf32>"
    text = f"func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {{\n  {body}\n}}"
    with pytest.raises(ConversionError, match=r"stablehlo\.cholesky: decompositions of matrices are not evaluated"):
        evaluate(parse_module(text), [np.eye(2, dtype=np.float32)])


def test_an_op_without_an_expansion_is_refused_for_its_arithmetic() -> None:
    kind = "tensor<2x!quant.uniform<i8:f32, 0.5>>"
    follows = "{qconvert.arithmetic = #qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 0>}"
    body = f"%0 = stablehlo.atan2 %x, %x {follows} : {kind}"
    text = f"func.func @main(%x: {kind}) -> {kind} {{\n  {body}\n  return %0 : {kind}\n}}"
    with pytest.raises(
        ConversionError, match=r"stablehlo\.atan2: the interpreter lacks LiteRT's arithmetic of this op"
    ):
        evaluate(parse_module(text), [np.zeros(2, np.int8)])
