"""The driver: one walk in program order, then the removal of casts that cancel."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import ConstantLike, IsTerminator

from qconvert.dialects import stablehlo
from qconvert.dialects.tosa import RescaleOp
from qconvert.dialects.traits import HandsOn, Layer, absence
from qconvert.dialects.verify import STORAGE_WIDTHS
from qconvert.ir import is_litert, node_names, quantized
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.proved import proved_rewrite
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.rules import LOWERINGS, Rewrite
from qconvert.passes.storage.widen_storage import WidenStorage
from qconvert.rewriting import (
    OpProof,
    Pass,
    PassResult,
    Proof,
    Refusal,
    builder_before,
    cancel_bitcasts,
    erase_dead,
    keeps_integers,
    refuse,
    replace,
)
from qconvert.support.errors import ConversionError

_CALLING = ("builtin", "func")
"""Dialects of modules, functions and calls."""


@dataclass(frozen=True)
class QuantLegalizeToTosaRescale(Pass):
    """Compute on storage integers in 32 bits between ``tosa.rescale``.

    ::

        q a, q b ── add ── q c

        q a ── tosa.rescale ─┐
        q b ── tosa.rescale ─┴ add i32 ── tosa.rescale ── q c

    RESCALE rounds half up, and StableHLO rounds half to even, so results differ by 1 LSB on exact ties. Sums and
    comparisons of different scales keep 20 fractional bits (8-bit operands) or 15 (16-bit), quotients 21 or 13. Values
    closer to a tie than these bits resolve count as ties, too. Quantized types stay at inputs, at outputs and at
    refused ops. There rescales take and give quantized values, as in StableHLO's own pass. With ``integer_rescales``
    only ``bitcast_convert`` takes them, as IREE requires. With ``proves`` the scales of 8-bit ops are corrected by less
    than a millionth where inputs that are no ties would differ from the op's float32 arithmetic.
    """

    name = "quant-legalize-to-tosa-rescale"
    integer_rescales: bool = False
    proves: bool = False

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit each op once, in program order. Storage of 1 bit is widened first: a plain i1 is a truth value."""
        refusals: list[Refusal] = []
        proofs: list[OpProof] = []
        changed = WidenStorage(STORAGE_WIDTHS).apply(module).changed
        for op in [op for op in module.walk() if _computes(op)]:
            try:
                rewrite, proof = _rewrite(op, proves=self.proves)
            except ConversionError as error:
                refusals.append(refuse(op, error.found))
                proofs.append(OpProof(node_names(op.location)))
                continue
            if not keeps_integers(op):
                proofs.append(OpProof(node_names(op.location), proof))
            if rewrite is not None:
                replace(op, rewrite(builder_before(op)))
                changed = True
        if changed:
            cancel_bitcasts(module)
            if not self.integer_rescales:
                _rescale_quantized(module)
        return PassResult(changed, tuple(refusals), tuple(proofs) if self.proves else ())


def _computes(op: Operation) -> bool:
    """Return whether an op computes on quantized values, and not inside another computing op's region."""
    if _hands_on(op) or (parent := op.parent_op()) is None or not _hands_on(parent):
        return False
    tensors = [value for value in (*op.operands, *op.results) if isinstance(value.type, TensorType)]
    return any(quantized(value) is not None for value in tensors)


def _hands_on(op: Operation) -> bool:
    """Return whether an op takes and gives quantized values without computing; then its regions are walked."""
    is_end = op.has_trait(IsTerminator) or op.has_trait(ConstantLike)
    return is_end or op.has_trait(HandsOn) or op.dialect_name() in _CALLING or isinstance(op, RescaleOp)


def _rewrite(op: Operation, *, proves: bool) -> tuple[Rewrite | None, Proof | None]:
    """Return the rewrite of an op's rule and, if it is asked for, its proof.

    Raises ConversionError with the reason for a refusal.
    """
    if is_litert(op):
        raise ConversionError("it follows LiteRT's arithmetic, which differs from StableHLO's specification")
    rule = LOWERINGS.get(type(op))
    if rule is None:
        raise ConversionError(absence(op, Layer.RESCALE) or "this op has no form in integers and rescales")
    return proved_rewrite(op, rule) if proves else (rule(op), None)


def _rescale_quantized(module: ModuleOp) -> None:
    """Let rescales take and give quantized values themselves if only a cast stands between."""
    for op in module.walk():
        if isinstance(op, RescaleOp):
            _take_quantized(op)
            _give_quantized(op)
    erase_dead([op for op in module.walk() if isinstance(op, stablehlo.BitcastConvertOp)])


def _take_quantized(op: RescaleOp) -> None:
    cast = op.input.owner
    if isinstance(cast, stablehlo.BitcastConvertOp) and _is_signed(cast.operand):
        op.operands[0] = cast.operand


def _give_quantized(op: RescaleOp) -> None:
    users = [use.operation for use in op.output.uses]
    if len(users) == 1 and isinstance(users[0], stablehlo.BitcastConvertOp) and _is_signed(users[0].results[0]):
        value = Rewriter.replace_value_with_new_type(op.output, users[0].results[0].type)
        replace(users[0], value)


def _is_signed(value: SSAValue) -> bool:
    element = quantized(value)
    return element is not None and element.storage.signed
