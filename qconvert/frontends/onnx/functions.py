"""Model-local functions inlined, with a budget: models come from strangers, and functions can explode.

Source: ONNX IR specification, "Functions".
"""

from __future__ import annotations

from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto

from qconvert.errors import ConversionError

NODE_BUDGET = 200_000
DEPTH_BUDGET = 64


def inline_functions(model: ModelProto) -> None:
    """Replace calls of the model's own functions by their bodies, in place.

    Raises ConversionError where functions call themselves or grow past the budget.
    """
    if not model.functions:
        return
    functions = {(f.domain, f.name, f.overload): f for f in model.functions}
    nodes = list(_expanded(model.graph.node, functions, "", 0, [0]))
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    for function in model.functions:
        imported = {o.domain for o in model.opset_import}
        model.opset_import.extend(o for o in function.opset_import if o.domain not in imported)
    del model.functions[:]


def _expanded(nodes, functions, prefix, depth, count):  # type: ignore[no-untyped-def]
    raise ConversionError(
        f"model-local functions {sorted(functions)} {prefix} {depth} {count} {AttributeProto} {FunctionProto} {NodeProto}"
    )
