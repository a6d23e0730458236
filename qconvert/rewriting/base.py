"""Passes: each states what it needs and what it leaves true, and the driver checks both.

A rewrite either happens or is refused with a reason. ``inspect --why`` prints the reasons.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, Protocol, TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.verify import module_errors
from qconvert.ir import describe, place, whereabouts
from qconvert.rewriting.contracts import Contract, breaches, check_contracts
from qconvert.rewriting.proof import OpProof
from qconvert.support.errors import ConversionError

_Op = TypeVar("_Op", bound=Operation)
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Refusal:
    """A rewrite that did not happen: the op that would have changed, its source node and the reason.

    ``node`` is the place in the text or the op's own name if it has no other, None for a whole model. ``refused_by`` is
    the name of the pass, empty if no pass refused the op.
    """

    op: str
    node: str | None
    reason: str
    refused_by: str = field(default="", compare=False)

    def __str__(self) -> str:
        where = "" if self.node in {None, self.op} else f"{self.node}: "
        return f"{where}{self.op}: {self.reason}"

    @property
    def with_pass(self) -> str:
        """The refusal as text, with the name of the pass if it is known."""
        return f"{self} (pass {self.refused_by})" if self.refused_by else str(self)


class PassResult(NamedTuple):
    """The result of a pass: whether it changed the module, the rewrites that it refused, and the proofs that it made.

    The driver verifies a module again only if a pass changed it.
    """

    changed: bool
    refusals: tuple[Refusal, ...] = ()
    proofs: tuple[OpProof, ...] = ()


class Pass(ABC):
    """A rewrite of a whole module, in place.

    ``requires`` must hold before the pass and ``ensures`` after it. :func:`run_passes` checks both.
    """

    name: ClassVar[str]
    requires: ClassVar[tuple[Contract, ...]] = ()
    ensures: ClassVar[tuple[Contract, ...]] = ()

    @abstractmethod
    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite the module in place."""


class AfterPass(Protocol):
    """A function that is called after each pass, for example to print the module; it must not change the module."""

    def __call__(self, step: Pass, module: ModuleOp, result: PassResult, /) -> None:
        """Take the pass, the module after it, and the result of the pass."""


def run_passes(
    module: ModuleOp,
    passes: Iterable[Pass],
    *,
    verifies: bool = True,
    verify_each: bool = False,
    after: AfterPass | None = None,
) -> list[PassResult]:
    """Run passes in order and verify the result, unless ``verifies`` is False; with ``verify_each`` after each pass.

    ``after`` is called after each pass. A module that no pass changed is not verified again. Raises ConversionError if
    a pass's requirement does not hold, or if the module does not verify afterwards. Raises AssertionError, with the
    contract and the op that breaks it, if a pass does not ensure what it states.
    """
    results: list[PassResult] = []
    changed: list[str] = []
    for step in passes:
        check_contracts(module, step.requires, f"pass {step.name}")
        result = _named(step.apply(module), step.name)
        results.append(result)
        if result.changed:
            changed.append(step.name)
        if verify_each and result.changed:
            verify(module, step.name)
        for op, contract, reason in breaches(module, step.ensures):
            where = f"{describe(op) or '(no name)'} ({op.name})"
            raise AssertionError(f"pass {step.name} did not leave {contract.name}, {reason}: {where}")
        if after is not None:
            after(step, module, result)
    if changed and verifies and not verify_each:
        verify(module, ", ".join(changed))
    return results


def _named(result: PassResult, name: str) -> PassResult:
    """Return a result whose refusals name the pass."""
    return result._replace(refusals=tuple(replace(refusal, refused_by=name) for refusal in result.refusals))


def verify(module: ModuleOp, after: str) -> None:
    """Verify a module; raise ConversionError with the node of the op that is not valid, and the verifier's reason."""
    try:
        module.verify()
    except VerifyException as error:
        located = next(module_errors(module), ConversionError(str(error).strip().splitlines()[-1][:400]))
        found = f"after {after} the module is not valid: {located.found}"
        raise ConversionError(found, node=located.node, op=located.op, file=located.file) from error


def refuse(op: Operation, reason: str) -> Refusal:
    """Return a refusal about ``op``."""
    return Refusal(op.name, whereabouts(op), reason)


def visit_each(ops: Iterable[_Op], visit: Callable[[_Op], bool | Refusal]) -> PassResult:
    """Visit all ops but those that an earlier visit erased; ``visit`` returns True for a change, or a refusal.

    The ops are listed before, because a walk ends at an op that is erased.
    """
    visited = [_at(op, visit) for op in list(ops) if op.parent is not None]
    return PassResult(True in visited, tuple(found for found in visited if isinstance(found, Refusal)))


def _at(op: _Op, visit: Callable[[_Op], _Result]) -> _Result:
    """Visit an op; an error without a node gets the op's."""
    try:
        return visit(op)
    except ConversionError as error:
        raise error.located(node=describe(op), op=op.name, file=place(op)) from error


def rewrite_or_refuse(
    ops: Iterable[_Op], obstacle: Callable[[_Op], str | None], rewrite: Callable[[_Op], None]
) -> PassResult:
    """Rewrite each op that has no obstacle; refuse the others with the reason that ``obstacle`` returns.

    If ``ops`` is lazy, it sees the changes of earlier rewrites.
    """
    refusals: list[Refusal] = []
    changed = False
    for op in ops:
        reason = _at(op, obstacle)
        if reason is None:
            _at(op, rewrite)
            changed = True
        else:
            refusals.append(refuse(op, reason))
    return PassResult(changed, tuple(refusals))
