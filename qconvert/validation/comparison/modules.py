"""A module of MLIR as nodes and tensors by name, and its inner values in the interpreter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IntegerType, ModuleOp, StringAttr, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike

from qconvert import interpreter
from qconvert.dialects import stablehlo
from qconvert.frontends.base import NodeKind, Outline, OutlineNode
from qconvert.interpreter.core import main_function, returned
from qconvert.ir import TENSOR, element_type, node_names, numpy_dtype, quantized, tensor
from qconvert.support.arrays import Array
from qconvert.validation.limits.bisect import return_values


def named_values(module: ModuleOp, inputs: Sequence[str], outputs: Sequence[str]) -> dict[str, SSAValue]:
    """Return the values of ``@main`` by name: ports, and the last value that the ops of each source node make.

    A quantized tensor of the source has the tensor's name instead.
    """
    function = main_function(module)
    found: dict[str, SSAValue] = {}
    for op in function.body.block.ops:
        if len(op.results) == 1 and not op.has_trait(ConstantLike) and _is_layer(op.results[0]):
            for name in _names(op):
                found.pop(name, None)  # the last one has the last place
                found[name] = op.results[0]
    ports = zip(outputs, returned(module), strict=True)
    arguments = dict(zip(inputs, function.body.block.args, strict=True))
    known = {*arguments.values(), *(value for _, value in ports)}
    inner = {name: value for name, value in found.items() if value not in known}
    return {**arguments, **inner, **dict(zip(outputs, returned(module), strict=True))}


def _is_layer(value: SSAValue) -> bool:
    """Return True for a tensor that the source may have: not the integers that a contraction sums up."""
    if not isinstance(value.type, TensorType):
        return False
    element = element_type(value)
    is_wide = quantized(value) is not None or isinstance(element, IntegerType)
    return not (is_wide and numpy_dtype(element).itemsize > 2)


def _kind(op: Operation) -> NodeKind:
    if isinstance(op, stablehlo.UniformQuantizeOp) and quantized(op.operand) is None:
        return NodeKind.QUANTIZE
    return NodeKind.DEQUANTIZE if isinstance(op, stablehlo.UniformDequantizeOp) else NodeKind.COMPUTE


def _names(op: Operation) -> tuple[str, ...]:
    tag = op.attributes.get(TENSOR)
    return (tag.data,) if isinstance(tag, StringAttr) else node_names(op.location)[-1:]


def outline_of(module: ModuleOp, inputs: Sequence[str], outputs: Sequence[str], op_types: Mapping[str, str]) -> Outline:
    """Return the outline of a module, whose nodes are those of its source."""
    values = named_values(module, inputs, outputs)
    names = {value: name for name, value in reversed(values.items())}
    nodes = []
    for name, value in values.items():
        if isinstance(value.owner, Operation):
            node = next(reversed(node_names(value.owner.location)), name)
            op = op_types.get(node, value.owner.name)
            nodes.append(OutlineNode(node, op, tuple(_named_operands(value.owner, names)), (name,), _kind(value.owner)))
    parameters = {name: found for name, value in values.items() if (found := quantized(value)) is not None}
    per_tensor = {name: found for name, found in parameters.items() if found.is_per_tensor}
    return Outline({name: tensor(values[name]) for name in inputs}, tuple(outputs), tuple(nodes), per_tensor)


def _named_operands(op: Operation, names: Mapping[SSAValue, str]) -> list[str]:
    """Return the nearest named values that an op depends on."""
    found: dict[str, None] = {}
    seen = set[SSAValue]()
    stack = list(reversed(op.operands))
    while stack:
        value = stack.pop()
        if value in seen:
            continue
        seen.add(value)
        if value in names:
            found[names[value]] = None
        elif isinstance(value.owner, Operation):
            stack.extend(reversed(value.owner.operands))
    return list(found)


def interpret(
    module: ModuleOp,
    inputs: Sequence[str],
    outputs: Sequence[str],
    samples: Sequence[Mapping[str, Array]],
    tensors: Sequence[str],
) -> list[dict[str, Array]]:
    """Return the outputs and tensors of each sample by name, quantized ones as storage integers."""
    copy = module.clone()
    values = named_values(copy, inputs, outputs)
    wanted = {name: values[name] for name in dict.fromkeys((*tensors, *outputs))}
    return_values(copy, wanted)
    program = interpreter.Program(copy)
    runs = (program.run([sample[name] for name in inputs]) for sample in samples)
    return [dict(zip(wanted, results, strict=True)) for results in runs]
