"""Passes: each states what it needs and what it leaves true, and the driver checks both.

A rewrite either happens or is refused with a reason. ``inspect --why`` prints the reasons.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import ClassVar, NamedTuple, TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from qconvert.ir import describe
from qconvert.rewriting.proof import OpProof
from qconvert.support.errors import ConversionError

_Op = TypeVar("_Op", bound=Operation)


@dataclass(frozen=True)
class Refusal:
    """A rewrite that did not happen: the op that would have changed, its source node and the reason."""

    op: str
    node: str | None
    reason: str

    def __str__(self) -> str:
        return f"{self.node or '(no name)'}: {self.op}: {self.reason}"


class Condition(NamedTuple):
    """A statement about a module, with its name for messages."""

    name: str
    holds: Callable[[ModuleOp], bool]


def no_op(name: str, is_such: Callable[[Operation], bool]) -> Condition:
    """Return the condition that no op of a module is of a kind."""
    return Condition(name, lambda module: not any(is_such(op) for op in module.walk()))


class PassResult(NamedTuple):
    """The result of a pass: whether it changed the module, the rewrites that it refused, and the proofs that it made.

    The driver usually verifies a module again only if a pass changed it.
    """

    changed: bool
    refusals: tuple[Refusal, ...] = ()
    proofs: tuple[OpProof, ...] = ()


class Pass(ABC):
    """A rewrite of a whole module, in place.

    ``requires`` must hold before the pass and ``ensures`` after it. :func:`run_passes` checks both.
    """

    name: ClassVar[str]
    requires: ClassVar[tuple[Condition, ...]] = ()
    ensures: ClassVar[tuple[Condition, ...]] = ()

    @abstractmethod
    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite the module in place."""


class Verification(Enum):
    """The time when the driver verifies a module. Of two runs in a row, only the last one needs to verify."""

    EACH = auto()
    """After each pass that changed the module, so that an error names the pass."""
    CHANGED = auto()
    """After the last pass, if a pass changed the module."""
    ALWAYS = auto()
    """After the last pass, because an earlier run left it to this one."""
    LATER = auto()
    """Not in this run: the caller's next run verifies always."""


def run_passes(
    module: ModuleOp, passes: Iterable[Pass], verification: Verification = Verification.CHANGED
) -> list[PassResult]:
    """Run passes in order and verify the result.

    Raises ConversionError if a pass's requirement does not hold, or if the module does not verify afterwards. Raises
    AssertionError, with the condition's name, if a pass does not ensure what it states.
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
        if verification is Verification.EACH and result.changed:
            verify(module, step.name)
        for condition in step.ensures:
            assert condition.holds(module), f"pass {step.name} did not leave {condition.name}"
    if verification is Verification.ALWAYS or (changed and verification is Verification.CHANGED):
        verify(module, ", ".join(changed) or "earlier passes")
    return results


def verify(module: ModuleOp, after: str) -> None:
    """Verify a module; raise ConversionError with the last line of the verifier's message."""
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

    If ``ops`` is lazy, it sees the changes of earlier rewrites.
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
