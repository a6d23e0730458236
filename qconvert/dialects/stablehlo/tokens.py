"""Tokens, which order effects, and the ops that exchange data with the host or with another device.

Source: StableHLO's specification, "Sequential execution", "Point-to-point communication", "Streaming communication".
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, StringAttr, TensorType
from xdsl.ir import ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure

from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import StableHLOOp
from qconvert.dialects.stablehlo.collective import ChannelHandleAttr, check_pairs
from qconvert.dialects.stablehlo.syntax import SameTypeClauseOp
from qconvert.ir import ElementsAttr


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """``!stablehlo.token``, a value without data that orders effects."""

    name = "stablehlo.token"


@irdl_op_definition
class AfterAllOp(SameTypeClauseOp):
    """A token that stands for all its operands."""

    name = "stablehlo.after_all"
    inputs = var_operand_def(TokenType)
    result = result_def(TokenType)
    traits = traits_def(Pure())

    def __init__(self, *tokens: SSAValue) -> None:
        super().__init__(operands=[list(tokens)], result_types=[TokenType()])


@irdl_op_definition
class CreateTokenOp(SameTypeClauseOp):
    """A token without predecessors."""

    name = "stablehlo.create_token"
    result = result_def(TokenType)
    traits = traits_def(Pure())

    def __init__(self) -> None:
        super().__init__(result_types=[TokenType()])


def _check_received(op: IRDLOperation, constraints: str) -> None:
    """Check that results are tensors and then one token."""
    *values, token = op.result_types or (None,)
    received = isinstance(token, TokenType) and all(isinstance(type, TensorType) for type in values)
    check(received, f"{op.name} ({constraints})", "results must be tensors and one token at the end")


@irdl_op_definition
class InfeedOp(StableHLOOp):
    """Tensors from the host."""

    name = "stablehlo.infeed"
    token = operand_def(TokenType)
    infeed_config = opt_prop_def(StringAttr)
    layout = opt_prop_def(ArrayAttr)
    results_ = var_result_def()

    def verify_(self) -> None:
        """Check that the results are tensors and then one token (C1 to C3)."""
        _check_received(self, "C1 to C3")


@irdl_op_definition
class OutfeedOp(StableHLOOp):
    """Tensors to the host."""

    name = "stablehlo.outfeed"
    inputs = var_operand_def(TensorType)
    token = operand_def(TokenType)
    outfeed_config = opt_prop_def(StringAttr)
    result = result_def(TokenType)


class ChannelOp(StableHLOOp, ABC):
    """The base of ``send`` and ``recv``."""

    HOST: ClassVar[int]
    """The channel type of an exchange with the host."""
    DEVICE: ClassVar[int] = 1

    channel_handle = prop_def(ChannelHandleAttr)
    is_host_transfer = opt_prop_def(BoolAttr)
    source_target_pairs = opt_prop_def(ElementsAttr)

    def verify_(self) -> None:
        """Check that pairs are valid (C1 to C4), and that the channel's type matches ``is_host_transfer`` (C5)."""
        if self.source_target_pairs is not None:
            check_pairs(self, self.source_target_pairs)
        is_host = self.is_host_transfer is not None and bool(self.is_host_transfer.value.data)
        expected, found = self.HOST if is_host else self.DEVICE, self.channel_handle.data.type
        check(found == expected, f"{self.name} (C5)", f"a channel of type {found}, expected {expected}")


@irdl_op_definition
class SendOp(ChannelOp):
    """Tensors to a channel."""

    name = "stablehlo.send"
    HOST: ClassVar[int] = 2
    inputs = var_operand_def(TensorType)
    token = operand_def(TokenType)
    result = result_def(TokenType)


@irdl_op_definition
class RecvOp(ChannelOp):
    """Tensors from a channel."""

    name = "stablehlo.recv"
    HOST: ClassVar[int] = 3
    token = operand_def(TokenType)
    results_ = var_result_def()

    def verify_(self) -> None:
        """Check that the channel fits (C1 to C5), and that the results are tensors and then one token."""
        super().verify_()
        _check_received(self, "results")
