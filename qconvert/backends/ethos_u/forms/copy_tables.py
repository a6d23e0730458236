"""Lists that GATHER looks up, copied once into the NPU's fast memory."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.ethos_u.forms.copy_images import copied, lines_of
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import parameter_array
from qconvert.ir import element_type, i8, shape
from qconvert.rewriting import Pass, PassResult, rewrite_or_refuse
from qconvert.rewriting.placed import PlacedBuilder

_BYTES_FOR_ELEMENT = 128
"""The number of bytes that a copy reads in whole lines in the time in which GATHER reads one element."""
_INDEX_BYTES = 4


@dataclass(frozen=True)
class CopyTables(Pass):
    """Copy a constant list of bytes, from which GATHER takes elements, by a CONV2D that reads whole lines of memory.

    ::

        gather (list of 65,536 bytes), %indices

        %1 = conv2d (list as (1, 1, 4096, 16)), identity ── rescale by 1
        gather (reshape %1), %indices

    Constants are in a slow memory, where GATHER waits for each element by itself.
    """

    name = "copy-tables"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every GATHER from constant bytes."""
        found = [op for op in module.walk() if isinstance(op, tosa.GatherOp) and element_type(op.values) == i8]
        return rewrite_or_refuse(
            [op for op in found if parameter_array(op.values) is not None], self._obstacle, _rewrite
        )

    def _obstacle(self, op: tosa.GatherOp) -> str | None:
        """Return why a list is not copied, or None."""
        listed, count = prod(shape(op.values)), prod(shape(op.indices))
        if not self.npu.holds((listed,), (_INDEX_BYTES, count), shape(op.output)):
            return "it does not fit into the fast memory"
        if prod(lines_of(op.values)) != listed:
            return "it does not fill whole lines"
        return "few of its elements are read" if count * _BYTES_FOR_ELEMENT < listed else None


def _rewrite(op: tosa.GatherOp) -> None:
    build, array = PlacedBuilder(op), parameter_array(op.values)
    assert array is not None
    lines = build.constant(array.reshape(lines_of(op.values)), i8)
    op.operands[0] = build.reshape(copied(build, lines), shape(op.values))
