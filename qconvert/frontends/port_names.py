"""The names of the inputs and outputs of a module's ``@main``."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from qconvert.dialects.port_names import argument_names, result_names
from qconvert.interpreter.core import main_function


def input_names(module: ModuleOp) -> tuple[str, ...]:
    """Return the inputs' names in order; an input without a name is ``argN``."""
    return argument_names(main_function(module))


def output_names(module: ModuleOp) -> tuple[str, ...]:
    """Return the outputs' names in order; an output without a name is ``resultN``."""
    return result_names(main_function(module))
