"""Random numbers. Their values are up to each implementation.

Source: StableHLO's specification.
"""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import AnyFloat, IntegerType, TensorType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import irdl_attr_definition, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.str_enum import StrEnum

from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import StableHLOOp
from qconvert.dialects.stablehlo.syntax import create, parse_assignment, print_operands, print_signature
from qconvert.dialects.traits import Layer, NotIn
from qconvert.ir import Tensor, element_type, shape, tensor


class RngAlgorithm(StrEnum):
    """Generators of random bits."""

    DEFAULT = "DEFAULT"
    THREE_FRY = "THREE_FRY"
    PHILOX = "PHILOX"


@irdl_attr_definition
class RngAlgorithmAttr(EnumAttribute[RngAlgorithm], SpacedOpaqueSyntaxAttribute):
    """``#stablehlo<rng_algorithm PHILOX>``."""

    name = "stablehlo.rng_algorithm"


_STATE_SIZES = {RngAlgorithm.THREE_FRY: (2,), RngAlgorithm.PHILOX: (2, 3)}


@irdl_op_definition
class RngBitGeneratorOp(StableHLOOp):
    """Random bits, and the state to make the next ones from."""

    name = "stablehlo.rng_bit_generator"
    initial_state = operand_def(TensorType)
    rng_algorithm = prop_def(RngAlgorithmAttr)
    output_state = result_def(TensorType)
    output = result_def(TensorType)
    traits = traits_def(Pure(), NotIn("each implementation has random bits of its own", Layer.INTERPRETER))

    def __init__(self, state: SSAValue, algorithm: RngAlgorithm, output: Tensor) -> None:
        properties = {"rng_algorithm": RngAlgorithmAttr(algorithm)}
        super().__init__(operands=[state], properties=properties, result_types=[tensor(state), output])

    def verify_(self) -> None:
        """Check for an unchanged type of the state (C1), and the state's size for each algorithm (C2)."""
        types = (self.initial_state.type, self.output_state.type)
        check(types[0] == types[1], f"{self.name} (C1)", "states of {} and {}", *types)
        sizes, algorithm = shape(self.initial_state), self.rng_algorithm.data
        fits = algorithm not in _STATE_SIZES or sizes[:1] in [(size,) for size in _STATE_SIZES[algorithm]]
        check(fits, f"{self.name} (C2)", "{} of a state of {}", algorithm, types[0])
        element = element_type(self.output)
        check(isinstance(element, IntegerType | AnyFloat), self.name, "an output of {}", self.output.type)

    def print(self, printer: Printer) -> None:
        """Print ``%state, algorithm = PHILOX : types``."""
        print_operands(printer, self)
        printer.print_string(f", algorithm = {self.rng_algorithm.data}")
        print_signature(printer, self)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the text that ``print`` writes."""
        state = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        parse_assignment(parser, "algorithm")
        algorithm = RngAlgorithmAttr(parser.parse_str_enum(RngAlgorithm))
        return create(cls, parser, [state], {"rng_algorithm": algorithm})
