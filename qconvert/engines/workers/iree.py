"""Inside the child: compile with IREE's compiler for this machine's CPU family, and call the result."""

from __future__ import annotations

import re
import subprocess

import numpy as np
from iree import compiler, runtime
from iree.compiler.tools.binaries import find_tool

from qconvert.engines.wire import Array, Message, positional
from qconvert.engines.workers.tensors import NARROW, TensorType, arguments, tensor_type
from qconvert.support.errors import EngineError

# A generic CPU has no fused multiply-add, so results do not depend on the machine. IREE would narrow f64 to f32, and
# refuse a function with more than 32 KiB of intermediate values, which a few layers of integers have.
_FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=generic",
    "--iree-input-demote-f64-to-f32=false",
    "--iree-llvmcpu-stack-allocation-limit=262144",
)
_TOSA_FIRST = "builtin.module(func.func(tosa-to-linalg),func.func(tosa-to-arith{include-apply-rescale=true}))"
_PARAMETER = re.compile(r"%input\d+: ([^\s,)]+)(?: \{iree\.abi\.encoding = ([^\s}]+)\})?")
_ERRORS = re.compile(r"^.*?\berror: (.*)$", re.MULTILINE)
_OF_FOUR_BITS = re.compile(r"'memref\.get_global' .*xi4>")
_FOUR_BITS = "it has no small constants of 4 bits; --to tosa writes a form that it compiles"
_MESSAGE_CHARACTERS = 300
_MESSAGES = 4


def _compile(text: bytes, input_type: str) -> bytes:
    try:
        return bytes(compiler.compile_str(text, input_type=input_type, target_backends=[], extra_args=list(_FLAGS)))
    except compiler.CompilerToolError as error:
        reasons = _reasons(str(error))
        why = f"{_FOUR_BITS}: {reasons}" if _OF_FOUR_BITS.search(reasons) else reasons
        raise EngineError(f"IREE cannot compile the module: {why}") from error


def _mixed(text: bytes) -> bytes:
    """Lower TOSA's ops with iree-opt, because the compiler does not take them beside StableHLO."""
    command = [find_tool("iree-opt"), "-", f"--pass-pipeline={_TOSA_FIRST}"]
    done = subprocess.run(command, input=text, capture_output=True, check=False)
    if done.returncode:
        raise EngineError(f"IREE cannot lower TOSA's ops: {_reasons(done.stderr.decode(errors='replace'))}")
    return done.stdout


def _reasons(text: str) -> str:
    """Return the compiler's error lines, each once, without quoted source; without error lines its whole output."""
    found = dict.fromkeys(line[:_MESSAGE_CHARACTERS] for line in _ERRORS.findall(text))
    if found:
        return "; ".join(list(found)[:_MESSAGES])
    lines = re.split("Invoked with|Stack dump", text, maxsplit=1)[0].splitlines()
    return "; ".join(line[:_MESSAGE_CHARACTERS] for line in lines if line.strip())


def _load(binary: bytes) -> runtime.FunctionInvoker:
    context = runtime.SystemContext(config=runtime.Config("local-sync"))
    module = runtime.VmModule.copy_buffer(context.instance, binary)
    context.add_vm_module(module)
    if "main" not in module.function_names:
        raise EngineError("the module has no function @main")
    return context.modules[module.name]["main"]


def _parameters(main: runtime.FunctionInvoker) -> list[TensorType]:
    """Return the types of @main's parameters; IREE itself checks neither shapes nor types."""
    declaration = main.vm_function.reflection["iree.abi.declaration"].split("->")[0]
    found = _PARAMETER.findall(declaration)
    kinds = [tensor_type(encoding or plain, f"parameter {n}") for n, (plain, encoding) in enumerate(found)]
    for position, kind in enumerate(kinds):
        if kind.element in NARROW:
            raise EngineError(f"parameter {position} is {kind}: IREE packs elements of less than a byte")
    return kinds


def _call(main: runtime.FunctionInvoker, given: list[Array]) -> list[Array]:
    try:
        results = main(*[np.asarray(array, order="C") for array in given])
    except (ValueError, RuntimeError) as error:
        raise EngineError(f"IREE failed at run time: {str(error)[:_MESSAGE_CHARACTERS]}") from error
    if results is None:
        return []
    return [result.to_host() for result in (results if isinstance(results, tuple) else (results,))]


def serve(message: Message) -> Message:
    """Compile the text once and call @main for each sample; raises EngineError with the compiler's errors."""
    text, input_type = message.blob, message.options["input_type"]
    main = _load(_compile(_mixed(text) if input_type == "auto" else text, input_type))
    parameters = _parameters(main)
    results = [_call(main, arguments(list(sample.values()), parameters)) for sample in message.samples]
    return Message(samples=tuple(positional(result) for result in results))
