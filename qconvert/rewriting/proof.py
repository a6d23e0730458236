"""The results of proofs: what ``prover`` found out about the integers of an op."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from qconvert.dialects.traits import Clamps, MovesElements
from qconvert.ir import element_type


@dataclass(frozen=True)
class Proof:
    """A comparison of integer ops with their reference on all inputs.

    ``ties`` counts the inputs that are exact ties, which may be rounded in either direction. ``differing`` counts the
    other inputs whose results differ from the reference's. ``largest`` is the largest difference on any input, in LSB.
    """

    inputs: int
    ties: int
    differing: int
    largest: int

    @property
    def holds(self) -> bool:
        """True if all inputs but exact ties give the reference's integers, and ties at most 1 LSB less or more."""
        return not self.differing and self.largest <= 1

    def __add__(self, other: Proof) -> Proof:
        """Return the proof of two ops."""
        ties, differing = self.ties + other.ties, self.differing + other.differing
        return Proof(self.inputs + other.inputs, ties, differing, max(self.largest, other.largest))


@dataclass(frozen=True)
class OpProof:
    """The proof of an op that computes, by its source nodes; None for an op that cannot be tried on all inputs.

    Such an op may have a ``bound``: its results differ by at most 1 LSB, and only where the real result is closer to a
    tie than this, in LSB. ``measured`` takes its place where errors were measured on some inputs: it is the largest.
    """

    nodes: tuple[str, ...]
    proof: Proof | None = None
    bound: float | None = None
    measured: float | None = None


def keeps_integers(op: Operation) -> bool:
    """Return True if an op gives integers of its operands, which needs no proof."""
    if op.has_trait(MovesElements):
        return True
    return op.has_trait(Clamps) and len({element_type(value) for value in (*op.operands, *op.results)}) == 1
