"""Inside a child: StableHLO's interpreter on @main without arguments. Its checks are left out, which jaxlib lacks."""

from __future__ import annotations

import re

from jaxlib.mlir import ir

from qconvert.engines.wire import Message
from qconvert.engines.workers.stablehlo import _context, _evaluate, _parse, _rewrite
from qconvert.support.errors import EngineError

_CHLO = "builtin.module(func.func(chlo-legalize-to-stablehlo))"


def serve(message: Message) -> Message:
    """Evaluate a module; raises EngineError where the interpreter does not."""
    with _context(), ir.Location.unknown():
        module = _parse(message.blob.decode())
        _rewrite(module, _CHLO)
        _evaluate(_parse(_with_real_results(module)), [])
    return Message()


def _with_real_results(module: ir.Module) -> str:
    """Return a module's text with the parts of complex results as results of @main: the bindings return no others."""
    [main] = [op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == "main"]
    types = [str(type) for type in ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).results]
    text = str(module)
    if not any("complex<" in type for type in types):
        return text
    if text.count("@main(") != 1:
        raise EngineError("a call of @main")
    lines, values, parts = [], [], []
    for i, type in enumerate(types):
        part = re.sub(r"complex<(f\d+)>", r"\1", type)
        for name in ("real", "imag"):
            lines.append(f"%{name}{i} = stablehlo.{name} %all#{i} : ({type}) -> {part}")
            values.append(f"%{name}{i}")
            parts.append(part)
    body = "\n".join([f"%all:{len(types)} = call @inner() : () -> ({', '.join(types)})", *lines])
    listed = ", ".join(parts)
    wrapper = f"func.func @main() -> ({listed}) {{\n{body}\nreturn {', '.join(values)} : {listed}\n}}"
    return text.replace("@main(", "@inner(").rstrip().removesuffix("}") + wrapper + "\n}"
