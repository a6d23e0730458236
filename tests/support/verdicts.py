"""The answers of ``convert`` and of ``inspect`` to the question whether a model becomes a format."""

from __future__ import annotations

from qconvert import Format, Model, convert
from qconvert.api.fitness import fitness
from qconvert.api.fusing import FusedForms
from qconvert.backends.base import WriteOptions
from qconvert.formats import FORMATS
from qconvert.support.errors import FloatsRemainError, QConvertError, UsageError


def assert_verdicts_agree(model: Model) -> None:
    """Assert that ``inspect`` refuses what ``convert`` refuses, with the same words, in each format and profile."""
    forms = FusedForms(model)
    for to in Format:
        defaults = FORMATS[to].checked_options()
        for options in dict.fromkeys((defaults, defaults.in_integers())):
            _assert_agree(model, to, options, forms)


def _assert_agree(model: Model, to: Format, options: WriteOptions, forms: FusedForms) -> None:
    error = _error(model, to, options)
    if isinstance(error, UsageError):
        return  # a source of lowered integers that never becomes the format
    found = fitness(model, to, options, forms=forms)
    assert bool(found.refused) == (error is not None), (found.title, error, found)
    assert found.outcome.startswith("converts") == (error is None), (found.title, error, found)
    if isinstance(error, FloatsRemainError):
        assert [refusal.node for refusal in found.refused] == [*error.nodes] or not error.nodes, (found.title, error)
        assert all(refusal.reason for refusal in found.refused), found
    else:
        assert found.error == (None if error is None else str(error)), found.title


def _error(model: Model, to: Format, options: WriteOptions) -> QConvertError | None:
    try:
        convert(model, to, options)
    except QConvertError as error:
        return error
    return None
