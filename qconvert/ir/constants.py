"""Constants held as numpy arrays."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute, BuiltinAttribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from qconvert.ir.byte_pieces import byte_pieces
from qconvert.ir.dense_printing import print_dense
from qconvert.ir.late import Held, LateArray, are_equal, array_of, have_one_origin, is_one_element
from qconvert.ir.types import Tensor, numpy_dtype, tensor_type

_HASHED_BYTES = 1 << 16
"""The number of bytes of a constant that its hash is made of; constants with the same ones are compared."""


class Elements:
    """A read-only array and its tensor type; two are equal if type and bytes are, and the hash is computed once.

    ``held`` is the array, or a late one, of which the elements are not kept.
    """

    def __init__(self, array: Held, type: Tensor) -> None:
        self.held = array
        if not isinstance(array, LateArray):
            self.held = array.view()
            self.held.flags.writeable = False
        self.type = type

    @property
    def array(self) -> NDArray[np.generic]:
        """The elements. Raises ConversionError if they are read from a file that has changed."""
        return array_of(self.held)

    @cached_property
    def digest(self) -> int:
        """The hash of some bytes, for this process; a splat (stride 0) hashes like its one element."""
        if is_one_element(self.held):
            return hash(self.array.reshape(-1)[:1].tobytes())
        return hash(bytes(next(byte_pieces(self.held), b"")[:_HASHED_BYTES]))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Elements) or self.type != other.type:
            return False
        return have_one_origin(self.held, other.held) or are_equal(self.held, other.held)

    def __hash__(self) -> int:
        return hash((self.type, self.digest))


@irdl_attr_definition
class ElementsAttr(Data[Elements], BuiltinAttribute):
    """``dense<..> : tensor<..>`` held as one numpy array, or read when it is needed, never as a Python list.

    The tensor type has integer or float elements (a quantized constant's value is its storage integers); elements
    narrower than 8 bits are held one to a byte.
    """

    name = "builtin.dense_array_elements"

    @classmethod
    def of(cls, array: Held, element: Attribute) -> ElementsAttr:
        """Return an array with the MLIR type of its elements; the array is not copied."""
        return cls(Elements(array, tensor_type(element, array.shape)))

    @property
    def array(self) -> NDArray[np.generic]:
        """The elements, read-only."""
        return self.data.array

    @property
    def held(self) -> Held:
        """The elements in memory, or a late array."""
        return self.data.held

    @property
    def type(self) -> Tensor:
        """The tensor type of the elements."""
        return self.data.type

    def verify(self) -> None:
        """Check that type and array agree; raises VerifyException."""
        array, type = self.held, self.data.type
        if array.shape != type.get_shape():
            raise VerifyException(f"a constant of shape {array.shape} cannot have type {type}")
        if array.dtype != numpy_dtype(type.element_type):
            raise VerifyException(f"a constant of {array.dtype} cannot have type {type}")

    def print_builtin(self, printer: Printer) -> None:
        """Print as ``dense<..> : type``: a splat, a short list, or hex."""
        print_dense(printer, self.held, self.type)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Elements:
        """Raise ParseError: ``dense`` is builtin syntax, which ``frontends/mlir/parsing.py`` reads."""
        parser.raise_error("array-backed elements are written as dense<..>")

    def print_parameter(self, printer: Printer) -> None:
        """Print as builtin syntax."""
        self.print_builtin(printer)
