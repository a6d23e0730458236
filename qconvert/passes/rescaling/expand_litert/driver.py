"""The driver: every op that follows LiteRT's arithmetic, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import composite
from qconvert.dialects.constants import constant_array
from qconvert.expansion.expander import Expander
from qconvert.expansion.registry import Expand, expansion_of, is_integer
from qconvert.ir import describe, element_type, i32, place, storage_element
from qconvert.passes.rescaling.expand_litert.wide import wide_convolution
from qconvert.passes.rescaling.tabulate import function_of
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.translation import Translation, drop
from qconvert.passes.storage.signed_storage import SignedStorage
from qconvert.rewriting import Pass, PassResult, as_element, as_integers, converted, erase_dead, replace
from qconvert.support.errors import ConversionError


@dataclass(frozen=True)
class ExpandLitert(Pass):
    """Write ops that follow LiteRT's integer arithmetic in StableHLO's integer ops and ``tosa.rescale``.

    ::

        q a, q b ── add (litert) ── q c

        i8 a ── tosa.rescale ── i32 ── tosa.rescale ─┐
        i8 b ── tosa.rescale ── i32 ── tosa.rescale ─┴ add i32 ── tosa.rescale ── i8 c

    Unsigned integers become signed ones first. Functions of one value that LiteRT computes from a table become a gather
    from the list of all results. Ops that take floats stay.
    """

    name = "expand-litert"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite in place.

        Raises ConversionError naming the node of an op that has no form in integers.
        """
        if not any(is_integer(op) for op in module.walk()):
            return PassResult(changed=False)
        SignedStorage().apply(module)
        for op in [op for op in module.walk() if is_integer(op)]:
            build = Translation(op)
            try:
                made = _in_integers(op, build)
            except ConversionError as error:
                raise error.located(node=describe(op), op=op.name, file=place(op)) from error
            replace(op, as_element(build, made, element_type(op.results[0])))
            erase_dead(build.ops)
        return PassResult(changed=True)


def _in_integers(op: Operation, build: Translation) -> SSAValue:
    """Return the storage integers of an op's result."""
    expand = expansion_of(op)
    if expand is not None:
        return _expanded(op, expand, build)
    if isinstance(op, composite.WideConvolutionOp):
        return wide_convolution(op, build)
    function = function_of(op)
    if function is None:
        raise ConversionError("LiteRT's arithmetic of this op has no form in plain integers")
    source = as_integers(build, function.source)
    values = function.values()
    places = build.plus(converted(build, source, i32), values.size // 2)
    return build.entries(build.constant(values, storage_element(element_type(op.results[0]))), places)


def _expanded(op: Operation, expand: Expand, build: Translation) -> SSAValue:
    """Return the result of an op's expansion, translated."""
    expander = Expander()
    for operand in op.operands:
        if constant_array(operand) is None:
            expander.define(operand, as_integers(build, operand))
    made = expand(op, expander)
    build.translate(expander.ops)
    found = build[made]
    drop(expander.ops)
    return found
