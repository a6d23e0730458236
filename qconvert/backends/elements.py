"""The contract of formats whose tensors have elements: TOSA, and TFLite as LiteRT's kernels run it."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation

from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.rewriting import AfterPass, check_contracts, contract, run_passes


@contract("tensors with elements", remedy="Cut the model around it with --inputs and --outputs")
def WITH_ELEMENTS(op: Operation) -> str | None:  # noqa: N802
    """Return the first type of an operand or a result without elements."""
    types = (value.type for value in (*op.operands, *op.results))
    empty = next((type for type in types if isinstance(type, TensorType) and 0 in type.get_shape()), None)
    return None if empty is None else f"found {empty}"


def check_elements(module: ModuleOp, needed_by: str, after: AfterPass | None = None) -> None:
    """Raise ConversionError for the first op with a tensor without elements that a result depends on.

    This comes before a format's passes, which divide by sizes and look for extremes. Erases ops without users:
    ``after`` is called after this pass.
    """
    run_passes(module, (DeadCodeElimination(),), after=after)
    check_contracts(module, (WITH_ELEMENTS,), needed_by)
