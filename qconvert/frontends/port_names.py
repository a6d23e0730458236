"""The names of the inputs and outputs of a module's ``@main``."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr

from qconvert.frontends.main_function import INPUT_NAMES, OUTPUT_NAMES
from qconvert.interpreter.core import main_function
from qconvert.support.errors import ConversionError

TENSOR_NAME = "tosa.tensor_name"
"""The attribute by which TOSA's tools name an argument or a result."""


def input_names(module: ModuleOp) -> tuple[str, ...]:
    """Return the inputs' names in order; an input without a name is ``argN``."""
    return _names(module, INPUT_NAMES, "arg", inputs=True)


def output_names(module: ModuleOp) -> tuple[str, ...]:
    """Return the outputs' names in order; an output without a name is ``resultN``."""
    return _names(module, OUTPUT_NAMES, "result", inputs=False)


def _names(module: ModuleOp, attribute: str, prefix: str, *, inputs: bool) -> tuple[str, ...]:
    function = main_function(module)
    count = len(function.function_type.inputs if inputs else function.function_type.outputs)
    found = function.attributes.get(attribute)
    if isinstance(found, ArrayAttr):
        names = [name.data for name in found if isinstance(name, StringAttr)]
        if len(names) != len(found) or len(names) != count:
            raise ConversionError(f"the attribute {attribute} of @{function.sym_name.data} must hold {count} strings")
        return tuple(names)
    ports = function.arg_attrs if inputs else function.res_attrs
    named = [entry.data.get(TENSOR_NAME) for entry in ports or ()]
    if named and all(isinstance(name, StringAttr) for name in named):
        return tuple(cast("StringAttr", name).data for name in named)
    return tuple(f"{prefix}{i}" for i in range(count))
