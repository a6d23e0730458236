"""Arm's Ethos-U as accelerators that TOSA is written for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from qconvert.backends.ethos_u.forms.borders_to_slices import BordersToSlices
from qconvert.backends.ethos_u.forms.casts_of_rows import CastsOfRows
from qconvert.backends.ethos_u.forms.casts_to_rescales import CastsToRescales
from qconvert.backends.ethos_u.forms.clamps_to_extremes import ClampsToExtremes
from qconvert.backends.ethos_u.forms.columns_to_features import ColumnsToFeatures
from qconvert.backends.ethos_u.forms.copies_to_maxima import CopiesToMaxima
from qconvert.backends.ethos_u.forms.copy_images import CopyImages
from qconvert.backends.ethos_u.forms.copy_tables import CopyTables
from qconvert.backends.ethos_u.forms.fold_pads import FoldPads
from qconvert.backends.ethos_u.forms.functions_to_tables import FunctionsToTables
from qconvert.backends.ethos_u.forms.fuse_additions import FuseAdditions
from qconvert.backends.ethos_u.forms.fuse_wide_additions import FuseWideAdditions
from qconvert.backends.ethos_u.forms.gather_to_tables import GatherToTables
from qconvert.backends.ethos_u.forms.maxima_of_halves import MaximaOfHalves
from qconvert.backends.ethos_u.forms.repeat_before_tables import RepeatBeforeTables
from qconvert.backends.ethos_u.forms.repeat_widenings import RepeatWidenings
from qconvert.backends.ethos_u.forms.rescales_to_products import RescalesToProducts
from qconvert.backends.ethos_u.forms.resizes_to_convolutions import ResizesToConvolutions
from qconvert.backends.ethos_u.forms.select_to_extreme import SelectToExtreme
from qconvert.backends.ethos_u.forms.select_to_sum import SelectToSum
from qconvert.backends.ethos_u.forms.sums_to_additions import SumsToAdditions
from qconvert.backends.ethos_u.forms.sums_to_convolutions import SumsToConvolutions
from qconvert.backends.ethos_u.forms.swaps_before_products import SwapsBeforeProducts
from qconvert.backends.ethos_u.forms.tables_of_parts import TablesOfParts
from qconvert.backends.ethos_u.forms.tables_to_slopes import TablesToSlopes
from qconvert.backends.ethos_u.forms.transposed_to_convolutions import TransposedToConvolutions
from qconvert.backends.ethos_u.forms.transposes_to_convolutions import TransposesToConvolutions
from qconvert.backends.ethos_u.npu import EVERY_NPU, NPUS, Npu
from qconvert.backends.tosa.accelerator import find_accelerator
from qconvert.rewriting import Pass
from qconvert.support.errors import UsageError


class EthosU(Npu):
    """One of the processors, in one configuration, or all of them: ``ethos-u``."""

    __slots__ = ()

    def configurations(self) -> Mapping[str, Self]:
        """Return this processor and its configurations (``ethos-u85-256``), by the names that users give."""
        sized = [self._replace(size=size) for size in self.sizes] if self.is_processor else []
        return {self.name: self} | {each.config: each for each in sized}

    @property
    def is_processor(self) -> bool:
        """True unless this stands for several processors, for which no program can be made."""
        return self.name in NPUS

    def forms(self, *, nhwc_io: bool) -> tuple[Pass, ...]:
        """Return the passes that rewrite TOSA's ops into ops that the processor runs faster."""
        return (
            FunctionsToTables(),
            TablesToSlopes(self),
            FuseAdditions(),
            FuseWideAdditions(),
            SelectToExtreme(self),
            SelectToSum(self),
            TablesOfParts(self),
            MaximaOfHalves(self),
            GatherToTables(self),
            CastsToRescales(),
            CastsOfRows(self),
            CopyTables(self),
            RescalesToProducts(self),
            SumsToAdditions(self),
            SumsToConvolutions(self),
            TransposedToConvolutions(),
            FoldPads(),
            ResizesToConvolutions(self),
            *((CopyImages(self),) if nhwc_io else ()),
            ClampsToExtremes(self),
            SwapsBeforeProducts(),
            TransposesToConvolutions(self),
            ColumnsToFeatures(self),
            *((CopiesToMaxima(),) if self.is_processor else ()),
        )

    def last_forms(self) -> tuple[Pass, ...]:
        """Return the passes that repeat ops for each reader, or write parts of one value apart."""
        return RepeatBeforeTables(), RepeatWidenings(), BordersToSlices()


ACCELERATORS = tuple(EthosU(*npu) for npu in (EVERY_NPU, *NPUS.values()))
"""All three processors together, and each of them."""


def find_npu(name: str) -> EthosU:
    """Return a processor by its name (``ethos-u85``), or by that of a configuration (``ethos-u85-256``).

    ``ethos-u`` stands for all of them. Raises UsageError for another name.
    """
    found = find_accelerator(name)
    if not isinstance(found, EthosU):
        raise UsageError(f"{name} is no Ethos-U")
    return found
