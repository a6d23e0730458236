"""Inside the child: parse, verify, rewrite and evaluate StableHLO with jaxlib's MLIR bindings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, stablehlo

from qconvert.engines.wire import Array, Message, plain, positional
from qconvert.engines.workers.tensors import NARROW, TensorType, arguments, element_of, tensor_type
from qconvert.support.errors import EngineError

# Quantized ops first become dequantize, op, quantize, as they are defined; quantize and dequantize then become
# arithmetic that needs chlo's broadcasts, and @main's parameters become storage integers.
_TO_MATH = (
    "builtin.module(func.func(stablehlo-legalize-quantized-op-to-qdq,chlo-legalize-to-stablehlo,"
    "stablehlo-legalize-quant-to-math))"
)
_BROADCASTS = "builtin.module(func.func(chlo-legalize-to-stablehlo))"
_DIMENSIONS = "broadcast_dimensions"
_LOAD_QUANT = "builtin.module(vhlo-legalize-to-stablehlo)"
_MESSAGE_CHARACTERS = 600
_LINE_CHARACTERS = 250  # the first of several may quote an op with all its scales, and the last is the verdict
_NOISE = re.compile(r"see current operation|^(Unable to parse module assembly|Failure while executing pass pipeline):$")
_PLACE = re.compile(r'^(?:error: )?"-":(\d+:\d+): ')

stablehlo.register_stablehlo_passes()


def _context() -> ir.Context:
    """Return a new context, which takes 4 ms; a shared context would keep the constants of every program."""
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context = ir.Context()
    context.enable_multithreading(False)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    stablehlo.register_dialect(context)
    stablehlo.register_interpreter_dialect(context)
    chlo.register_dialect(context)
    with context:
        # the only known way to load the quant dialect, which has no bindings here
        passmanager.PassManager.parse(_LOAD_QUANT).run(ir.Module.parse("module {}").operation)
    return context


def _paragraph(text: str) -> str:
    """Return a message as one paragraph, without the quoted operation, which may hold megabytes of constants."""
    lines = [line.strip() for line in text.splitlines() if not _NOISE.search(line)]
    short = (_PLACE.sub(r"line \1: ", line)[:_LINE_CHARACTERS] for line in lines if line)
    return "; ".join(short)[:_MESSAGE_CHARACTERS]


class _Diagnostics:
    """A collector of the diagnostics that MLIR reports outside exceptions."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, diagnostic: Any) -> bool:
        self.lines.append(str(diagnostic.message))
        return True


def _parse(text: str | bytes) -> ir.Module:
    try:
        module = ir.Module.parse(text)
        module.operation.verify()
    except ir.MLIRError as error:
        raise EngineError(_paragraph(str(error))) from error
    return module


def _rewrite(module: ir.Module, pipeline: str) -> None:
    try:
        passmanager.PassManager.parse(pipeline).run(module.operation)
    except (ir.MLIRError, ValueError) as error:
        raise EngineError(_paragraph(str(error))) from error


def _main(module: ir.Module) -> ir.Operation:
    for op in module.body.operations:
        if op.operation.name == "func.func" and ir.StringAttr(op.attributes["sym_name"]).value == "main":
            return op.operation
    raise EngineError("the module has no function @main")


def _parameters(module: ir.Module) -> list[TensorType]:
    kinds = ir.FunctionType(ir.TypeAttr(_main(module).attributes["function_type"]).value).inputs
    return [tensor_type(str(kind), f"parameter {position}") for position, kind in enumerate(kinds)]


def _give_weights(module: ir.Module, weights: dict[str, Array], named_by: str) -> None:
    """Replace the arguments of @main that name weights by constants, which are copies; ``weights`` is emptied."""
    main = _main(module)
    block = main.regions[0].blocks[0]
    stated = [ir.DictAttr(entry) for entry in ir.ArrayAttr(main.attributes["arg_attrs"])]
    names = [ir.StringAttr(entry[named_by]).value if named_by in entry else None for entry in stated]
    for name, port in reversed(list(zip(names, block.arguments, strict=True))):
        if name is not None:
            array = weights.pop(name)  # of the storage's type, where the port is quantized
            value = _attribute(array, TensorType(array.shape, element_of(array.dtype)))
            made = ir.Operation.create(
                "stablehlo.constant",
                results=[port.type],
                attributes={"value": value},
                loc=ir.Location.name(name),
                ip=ir.InsertionPoint.at_block_begin(block),
            )
            port.replace_all_uses_with(made.result)
            block.erase_argument(port.arg_number)
    kept = [entry for entry, name in zip(stated, names, strict=True) if name is None]
    results = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).results
    kinds = [port.type for port in block.arguments]
    main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(kinds, results))
    main.attributes["arg_attrs"] = ir.ArrayAttr.get(kept)


def _attribute(array: Array, kind: TensorType) -> ir.Attribute:
    stored: Any = np.asarray(plain(array), order="C")
    element = ir.Type.parse(kind.element)
    attribute: ir.Attribute = ir.DenseElementsAttr.get(stored, type=element, shape=list(array.shape))
    return attribute


@contextmanager
def _diagnosed(context: ir.Context) -> Iterator[None]:
    """Raise EngineError with MLIR's diagnostics if a call of its bindings fails."""
    diagnostics = _Diagnostics()
    handler: Any = context.attach_diagnostic_handler(diagnostics)
    try:
        yield
    except (ir.MLIRError, ValueError) as error:
        raise EngineError(_paragraph("\n".join([str(error), *diagnostics.lines]))) from error
    finally:
        handler.detach()


def _evaluate(module: ir.Module, values: list[ir.Attribute]) -> list[Any]:
    """Evaluate @main of a module without quantized types, without changing it."""
    with _diagnosed(module.context):
        return list(stablehlo.eval_module(module, values))


def _array(value: Any) -> Array:
    """Return a result as a numpy array; the interpreter first converts types that the bindings lack, exactly."""
    kind = tensor_type(str(value.type), "a result")
    wide = NARROW.get(kind.element, "f32")
    if kind.dtype.isbuiltin != 1:
        other = TensorType(kind.shape, wide)
        convert = f"%0 = stablehlo.convert %a : ({kind}) -> {other}\nreturn %0 : {other}"
        module = ir.Module.parse(f"func.func @main(%a: {kind}) -> {other} {{\n{convert}\n}}")
        [value] = _evaluate(module, [value])
    return np.array(value).astype(kind.dtype)


def _lower(module: ir.Module) -> None:
    """Rewrite a module to ops without quantized types."""
    for op in _ops(module, lambda op: op.name == "stablehlo.reverse" and "!quant" in str(op.result.type)):
        _reverse_reals(op)
    _rewrite(module, _TO_MATH)
    for op in _ops(module, lambda op: op.name.startswith("chlo.broadcast_") and _DIMENSIONS in op.attributes):
        _broadcast_operands(op)
    _rewrite(module, _BROADCASTS)


def _ops(module: ir.Module, wanted: Callable[[ir.Operation], bool]) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if wanted(op):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def _reverse_reals(op: ir.Operation) -> None:
    """Reverse a tensor's real values, as StableHLO's passes have no form of a quantized reverse."""
    element = ir.RankedTensorType(op.result.type)
    real = ir.RankedTensorType.get(element.shape, ir.F32Type.get())
    given = _before(op, "stablehlo.uniform_dequantize", real, op.operands[0])
    made = _before(op, op.name, real, given, {"dimensions": op.attributes["dimensions"]})
    op.result.replace_all_uses_with(_before(op, "stablehlo.uniform_quantize", element, made))
    op.erase()


def _broadcast_operands(op: ir.Operation) -> None:
    """Give both operands of a chlo op the result's shape: chlo's own pass only prepends dimensions."""
    shape = ir.RankedTensorType(op.result.type).shape
    for i, operand in enumerate(op.operands):
        kind = ir.RankedTensorType(operand.type)
        if kind.rank < len(shape):
            wide = ir.RankedTensorType.get(shape, kind.element_type)
            dimensions = {_DIMENSIONS: op.attributes[_DIMENSIONS]}
            op.operands[i] = _before(op, "stablehlo.broadcast_in_dim", wide, operand, dimensions)
    del op.attributes[_DIMENSIONS]


def _before(
    op: ir.Operation, name: str, type: ir.Type, operand: Any, attributes: dict[str, ir.Attribute] | None = None
) -> Any:
    """Return the result of a new op of one operand, in front of an op."""
    made = ir.Operation.create(name, [type], [operand], attributes or {}, loc=op.location, ip=ir.InsertionPoint(op))
    return made.result


def _run(message: Message) -> Message:
    module = _parse(message.blob.decode())
    _lower(module)
    parameters = _parameters(module)
    results = []
    for sample in message.samples:
        given = arguments(list(sample.values()), parameters)
        values = [_attribute(array, kind) for array, kind in zip(given, parameters, strict=True)]
        results.append(positional([_array(value) for value in _evaluate(module, values)]))
    return Message(samples=tuple(results))


def _verify(message: Message) -> Message:
    module = _parse(message.blob.decode())
    options = message.options
    text = module.operation.get_asm(
        enable_debug_info=options["locations"] == "True", print_generic_op_form=options["generic"] == "True"
    )
    return Message(blob=str(text).encode())


def _transform(message: Message) -> Message:
    module = _parse(message.blob.decode())
    _rewrite(module, message.options["pipeline"])
    return Message(blob=str(module).encode())


def _read_artifact(message: Message) -> Message:
    context = ir.Context.current
    with _diagnosed(context):
        module = stablehlo.deserialize_portable_artifact(context, message.blob)
    return Message(blob=str(module.operation.get_asm(enable_debug_info=True)).encode())


def _write_artifact(message: Message) -> Message:
    module = _parse(message.blob)
    for weights in message.samples:
        assert isinstance(weights, dict)
        _give_weights(module, weights, message.options["named_by"])
    requirement = stablehlo.StablehloCompatibilityRequirement.WEEK_12
    version = message.options["version"] or stablehlo.get_version_from_compatibility_requirement(requirement)
    with _diagnosed(module.context):
        return Message(blob=stablehlo.serialize_portable_artifact(module, version))


_ACTIONS = {
    "run": _run,
    "verify": _verify,
    "rewrite": _transform,
    "read-artifact": _read_artifact,
    "write-artifact": _write_artifact,
}


def serve(message: Message) -> Message:
    """Serve one task; ``action`` is a key of ``_ACTIONS``. Raises EngineError with MLIR's diagnostics."""
    with _context(), ir.Location.unknown():
        return _ACTIONS[message.options["action"]](message)
