"""The driver: every function of a module, op by op."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation

from qconvert.dialects.port_names import port_element, quantized_types
from qconvert.ir import UniformQuantizedType, describe, element_type, place, tensor, with_element
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.translation import Translation, held
from qconvert.rewriting import Pass, PassResult, as_element, cancel_bitcasts, erase_dead, no_op
from qconvert.support.errors import ConversionError

_STAYING = ("tosa.rescale", "tosa.const")


class TosaLegalizeToStablehlo(Pass):
    """Write TOSA's ops in StableHLO's ops that compute the same; ``tosa.rescale`` stays.

    ::

        i8 a ── tosa.rescale ── i32 ── tosa.mul ── i32 ── tosa.rescale ── i8 c

        i8 a ── tosa.rescale ── i32 ── multiply ── i32 ── tosa.rescale ── i8 c

    Integers of 48 bits become 64 bits, and their rescales are written in 64 bits. Arguments and results that stand for
    unsigned quantized integers (``tosa.quantized_type``) get an unsigned type.
    """

    name = "tosa-legalize-to-stablehlo"
    ensures = (no_op("no op of TOSA but rescales", lambda op: op.dialect_name() == "tosa" and op.name not in _STAYING),)

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every function with a body.

        Raises ConversionError naming the op that has no form in StableHLO.
        """
        functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
        changed = [_Function(function).translate() for function in functions]
        if any(changed):
            cancel_bitcasts(module)
        return PassResult(any(changed))


@dataclass
class _Function:
    """A function, and its old ops and arguments, which stay until all ops are translated."""

    function: FuncOp
    replaced: list[Operation | BlockArgument] = field(default_factory=list)

    @property
    def block(self) -> Block:
        """The function's only block."""
        return self.function.body.block

    def translate(self) -> bool:
        """Rewrite in place; return whether anything changed."""
        end = self.block.last_op
        assert end is not None
        build = Translation(next(iter(self.block.ops)))
        inputs, outputs = quantized_types(self.function)
        for argument, type in zip(tuple(self.block.args), inputs, strict=True):
            self._retype(argument, type, build)
        for op in tuple(self.block.ops):
            if op.dialect_name() == "tosa":
                self._translate_op(op, build)
            else:
                op.operands = [build[value] for value in op.operands]
        build.at(end)
        ports = zip(end.operands, outputs, strict=True)
        end.operands = [as_element(build, value, port_element(value, stated)) for value, stated in ports]
        self._erase()
        erase_dead(build.ops)
        types = [value.type for value in end.operands]
        self.function.properties["function_type"] = FunctionType.from_lists(self.block.arg_types, types)
        return bool(build.ops)

    def _translate_op(self, op: Operation, build: Translation) -> None:
        build.at(op)
        try:
            build.translate([op])
        except ConversionError as error:
            raise error.located(node=describe(op), op=op.name, file=place(op)) from error
        self.replaced.append(op)

    def _retype(self, argument: BlockArgument, stated: UniformQuantizedType | None, build: Translation) -> None:
        """Put an argument in the place of one that StableHLO has in another type."""
        wanted = held(port_element(argument, stated))
        if wanted == element_type(argument):
            return
        made = self.block.insert_arg(with_element(tensor(argument), wanted), argument.index)
        element = held(element_type(argument))
        build.define(argument, as_element(build, made, element))
        self.replaced.append(argument)

    def _erase(self) -> None:
        for old in reversed(self.replaced):
            if isinstance(old, BlockArgument):
                self.block.erase_arg(old)
            else:
                self.block.erase_op(old)
