"""What a pass is: it states what it needs and what it leaves true, and the driver checks both.

A rewrite either happens or is refused with a reason; reasons are what ``inspect --why`` prints.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from qconvert.ir.locations import describe
from qconvert.support.errors import ConversionError

_Op = TypeVar("_Op", bound=Operation)


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


def no_op(name: str, is_such: Callable[[Operation], bool]) -> Condition:
    """Return the condition that no op of a module is of a kind."""
    return Condition(name, lambda module: not any(is_such(op) for op in module.walk()))


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


def refuse(op: Operation, reason: str) -> Refusal:
    """Return a refusal about ``op``."""
    return Refusal(op.name, describe(op), reason)


def rewrite_or_refuse(
    ops: Iterable[_Op], obstacle: Callable[[_Op], str | None], rewrite: Callable[[_Op], None]
) -> PassResult:
    """Rewrite each op that has no obstacle; refuse the others with the reason that ``obstacle`` returns.

    ``ops`` may be lazy: it then sees what earlier rewrites changed.
    """
    refusals: list[Refusal] = []
    changed = False
    for op in ops:
        reason = obstacle(op)
        if reason is None:
            rewrite(op)
            changed = True
        else:
            refusals.append(refuse(op, reason))
    return PassResult(changed, tuple(refusals))
