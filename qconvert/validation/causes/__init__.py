"""Why a layer differs: the pattern of its differences, measured sample by sample and told in one sentence."""

from qconvert.validation.causes.cause import Cause, Pattern
from qconvert.validation.causes.measure import CauseMeasure
from qconvert.validation.causes.sentence import cause_of
from qconvert.validation.causes.spans import Compared

__all__ = ["Cause", "CauseMeasure", "Compared", "Pattern", "cause_of"]
