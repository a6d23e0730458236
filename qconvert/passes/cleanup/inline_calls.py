"""Calls replaced by the bodies of the called functions, so that each call has its own copy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ArrayAttr, LocationAttr, ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects.builder import main_block
from qconvert.dialects.func import CallOp
from qconvert.dialects.stablehlo.composite import CompositeOp
from qconvert.ir import describe, named, node_names
from qconvert.rewriting import Pass, PassResult, erase, no_op
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget, exceeded


def _callee(op: Operation, *, composites: bool) -> str | None:
    """Return the name of the function that an op calls; None if it is not a call."""
    if isinstance(op, CallOp):
        return str(op.callee.root_reference.data)
    if composites and op.name == CompositeOp.name:
        assert isinstance(op, CompositeOp)
        return str(op.decomposition.root_reference.data)
    return None


@dataclass(frozen=True)
class InlineCalls(Pass):
    """Replace each call by a copy of the function's body.

    ::

        %1 = call @f(%0); %2 = call @f(%1)        %1 = tanh %0; %2 = tanh %1
        func private @f(%a) { tanh %a }

    Each copy can then have ranges of its own. A copied op is named after its own node below the call's (``call/node``),
    or after its kind if it has no node (``call/tanh``). Private functions without references are erased. With
    ``composites`` a ``stablehlo.composite`` counts as a call of its decomposition.

    Raises ConversionError naming the call if functions are recursive, nested too deep or too large, or if there is no
    such function with one block of ops.
    """

    composites: bool = False

    name = "inline-calls"
    ensures = (no_op("no calls", lambda op: isinstance(op, CallOp)),)

    def apply(self, module: ModuleOp) -> PassResult:
        """Inline into called functions first, then into their callers."""
        callees = (_callee(op, composites=self.composites) for op in module.walk())
        called = {name for name in callees if name is not None}
        functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
        if called:
            _Inliner(functions, self.composites).inline_all()
            erase_unused(module, called)
        return PassResult(bool(called))


@dataclass(slots=True)
class _Inliner:
    """Inlines function by function; ``sizes`` are the numbers of ops of those done, ``copied`` of all copies."""

    functions: Mapping[str, FuncOp]
    composites: bool
    sizes: dict[str, int] = field(default_factory=dict)
    copied: int = 0

    def inline_all(self) -> None:
        for name, function in self.functions.items():
            if not function.is_declaration:
                self._inline_in(name, ())

    def _inline_in(self, name: str, outer: tuple[str, ...]) -> None:
        """Inline all calls in a function; ``outer`` are the functions that lead to it."""
        if name in self.sizes:
            return
        function = self.functions[name]
        ops = list(function.walk())
        self.sizes[name] = len(ops)
        for call in ops:
            callee = _callee(call, composites=self.composites)
            if callee is None:
                continue
            self._check(call, callee, (*outer, name))
            self._inline_in(callee, (*outer, name))
            self.sizes[name] += self.sizes[callee]
            self.copied += self.sizes[callee]  # functions that call each other twice grow exponentially
            if self.copied > budget().ops:
                raise _located(exceeded("ops", f"the calls inlined make more than {budget().ops} ops"), call)
            _inline(call, self.functions[callee].body.block)

    def _check(self, call: Operation, name: str, outer: tuple[str, ...]) -> None:
        """Raise ConversionError unless a called function can be inlined."""
        function = self.functions.get(name)
        if function is None or function.is_declaration or len(function.body.blocks) != 1:
            raise _refusal(call, f"there is no function @{name} with one block of ops")
        if name in outer:
            raise _refusal(call, f"the function @{name} calls itself", "Recursion has no end here: unroll it")
        if len(outer) > budget().calls:
            raise _refusal(call, f"calls are nested more than {budget().calls} deep")
        takes, gives = list(function.function_type.inputs), list(function.function_type.outputs)
        if takes != list(call.operand_types) or gives != list(call.result_types):
            raise _refusal(call, f"@{name} is called with other types than its own, {function.function_type}")
        end = function.body.block.last_op
        returned = list(end.operand_types) if isinstance(end, ReturnOp) else None
        if takes != list(function.body.block.arg_types) or returned != gives:
            raise _refusal(call, f"@{name} takes or returns other types than its own, {function.function_type}")


def _refusal(call: Operation, found: str, hint: str = "") -> ConversionError:
    return _located(ConversionError(found, hint=hint), call)


def _located(error: ConversionError, call: Operation) -> ConversionError:
    return error.located(node=describe(call), op=call.name)


def _inline(call: Operation, body: Block) -> None:
    """Copy a block's ops in front of a call, and use the returned values in place of the call."""
    block = main_block(call)
    values: dict[SSAValue, SSAValue] = dict(zip(body.args, call.operands, strict=True))
    seen: Counter[str] = Counter()
    for op in body.ops:
        if op is body.last_op:
            break
        copy = op.clone(values)
        for inner in copy.walk():
            inner.location = _below(call, inner, seen)
        block.insert_op_before(copy, call)
    returned = body.last_op
    assert returned is not None
    for result, value in zip(call.results, returned.operands, strict=True):
        result.replace_all_uses_with(values.get(value, value))
    erase(call)


def _below(call: Operation, op: Operation, seen: Counter[str]) -> LocationAttr:
    """Return the location of a copied op: its node's name, or its kind and a number, below the call's name."""
    outer, inner = node_names(call.location), node_names(op.location)
    if not outer:
        return op.location
    if not inner:
        kind = op.name.rpartition(".")[2]
        inner = (f"{kind}_{seen[kind]}" if seen[kind] else kind,)
        seen[kind] += 1
    return named(*(f"{outer[-1]}/{name}" for name in inner))


def erase_unused(module: ModuleOp, called: set[str]) -> None:
    """Erase called functions that are private and have no references left."""
    kept = {reference.root_reference.data for op in module.walk() for reference in _references(op)}
    for op in [op for op in module.ops if isinstance(op, FuncOp)]:
        visibility = op.sym_visibility
        if op.sym_name.data in called - kept and visibility is not None and visibility.data == "private":
            erase(op)


def _references(op: Operation) -> Iterator[SymbolRefAttr]:
    for attribute in (*op.properties.values(), *op.attributes.values()):
        for each in attribute.data if isinstance(attribute, ArrayAttr) else (attribute,):
            if isinstance(each, SymbolRefAttr):
                yield each
