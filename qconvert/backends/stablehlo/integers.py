"""The passes that leave no quantized type, apart from the others because a conversion to quantized types needs none."""

from __future__ import annotations

from qconvert.passes.layout.sink_transposes import SinkTransposes
from qconvert.passes.reductions.widen_reductions import WidenReductions
from qconvert.passes.rescaling.expand_litert import ExpandLitert
from qconvert.passes.rescaling.legalize_quant_to_math import LegalizeQuantToMath
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale import QuantLegalizeToTosaRescale
from qconvert.passes.rescaling.tabulate import of_litert_floats
from qconvert.passes.rescaling.tosa_rescale_legalize_to_stablehlo import TosaRescaleLegalizeToStablehlo
from qconvert.passes.storage.signed_storage import SignedStorage
from qconvert.rewriting import Pass


def in_integers(composites: Pass, *, keeps_rescales: bool) -> tuple[Pass, ...]:
    """Return the passes; ``composites`` rewrites the composites that do not follow LiteRT's arithmetic.

    ``keeps_rescales`` leaves ``tosa.rescale`` in the module.
    """
    return (
        of_litert_floats(),
        ExpandLitert(),
        *(() if keeps_rescales else (TosaRescaleLegalizeToStablehlo(),)),
        composites,
        WidenReductions(),
        SignedStorage(),  # IREE reads unsigned operands of an integer product as signed
        SinkTransposes(),
        *((QuantLegalizeToTosaRescale(integer_rescales=True, proves=True),) if keeps_rescales else ()),
        LegalizeQuantToMath(),
    )
