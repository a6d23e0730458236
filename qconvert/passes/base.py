"""What a pass is: it states what it needs and what it leaves true, and the driver checks both.

A rewrite either happens or is refused with a reason; reasons are what ``inspect --why`` prints.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.attributes import TENSOR
from qconvert.dialects.build import OpBuilder
from qconvert.dialects.locations import describe, merged
from qconvert.errors import ConversionError


@dataclass(frozen=True)
class Refusal:
    """Why a rewrite did not happen: the op it would have changed, its source node and the reason in words."""

    op: str
    node: str | None
    reason: str

    def __str__(self) -> str:
        return f"{self.node or '(no name)'}: {self.op}: {self.reason}"


@dataclass(frozen=True)
class Condition:
    """Something that is true of a module or not, with the words to say so."""

    name: str
    holds: Callable[[ModuleOp], bool]


@dataclass(frozen=True)
class PassResult:
    """What a pass did: whether anything changed, without which nothing is verified again, and what it left alone."""

    changed: bool
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True)
class Pass(ABC):
    """A rewrite of a whole module, in place.

    ``requires`` must hold before, ``ensures`` after; :func:`run_passes` checks both.
    """

    name: ClassVar[str]
    requires: ClassVar[tuple[Condition, ...]] = ()
    ensures: ClassVar[tuple[Condition, ...]] = ()

    @abstractmethod
    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite the module in place."""


def run_passes(module: ModuleOp, passes: Iterable[Pass], *, verify_each: bool = False) -> list[PassResult]:
    """Run passes in order, and verify what they leave; with ``verify_each`` after each, to know which one broke it.

    A module that no pass changed is not verified again. Raises ConversionError where a pass's requirement does not hold
    before it, or where the module does not verify after it; a broken promise raises AssertionError with its name.
    """
    results: list[PassResult] = []
    changed: list[str] = []
    for step in passes:
        for condition in step.requires:
            if not condition.holds(module):
                hint = "Run the pass that ensures it first"
                raise ConversionError(f"pass {step.name} needs {condition.name}", hint=hint)
        result = step.apply(module)
        results.append(result)
        if result.changed:
            changed.append(step.name)
        if verify_each and result.changed:
            verify(module, step.name)
        for condition in step.ensures:
            assert condition.holds(module), f"pass {step.name} did not leave {condition.name}"
    if changed and not verify_each:
        verify(module, ", ".join(changed))
    return results


def verify(module: ModuleOp, after: str) -> None:
    """Verify a module; raises ConversionError with the first lines of what is wrong."""
    try:
        module.verify()
    except VerifyException as error:
        text = str(error).strip().splitlines()[-1]
        raise ConversionError(f"after {after} the module is not valid: {text[:400]}") from error


def builder_before(op: Operation, *others: Operation) -> OpBuilder:
    """A builder in front of ``op`` whose ops stand for the source nodes of ``op`` and ``others``."""
    return OpBuilder(merged([*others, op]), before=op)


def replace(op: Operation, *values: SSAValue) -> None:
    """Use ``values`` instead of the results of ``op``, and erase ``op``.

    The name of the quantized tensor that ``op`` made moves to the op that makes it now.
    """
    tensor_name, maker = op.attributes.get(TENSOR), values[0].owner
    if tensor_name is not None and isinstance(maker, Operation):
        maker.attributes.setdefault(TENSOR, tensor_name)
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    erase(op)


def erase(op: Operation) -> None:
    """Take an op whose results nobody uses out of its block."""
    block = op.parent
    assert block is not None
    block.erase_op(op)


def only_user(value: SSAValue) -> Operation | None:
    """The one op that uses a value, once and in the block that makes it; None where there are more or other uses."""
    uses = iter(value.uses)
    first = next(uses, None)
    if first is None or next(uses, None) is not None:
        return None
    owner = value.owner
    block = owner.parent if isinstance(owner, Operation) else owner
    return first.operation if first.operation.parent is block else None


def erase_dead(ops: Sequence[Operation]) -> bool:
    """Erase those of ``ops`` whose results nobody uses, the last one first; returns whether there were any."""
    erased = False
    for op in reversed(ops):
        if op.parent is not None and op.results and not any(result.uses for result in op.results):
            erase(op)
            erased = True
    return erased


def refuse(op: Operation, reason: str) -> Refusal:
    """A refusal about ``op``."""
    return Refusal(op.name, describe(op), reason)
