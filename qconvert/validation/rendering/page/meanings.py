"""The meaning of the columns of a report's tables."""

from __future__ import annotations

from collections.abc import Mapping

COLUMNS: Mapping[str, str] = {
    "layer": "The source node that feeds the layer's quantize.",
    "op": "The node's operator in the source.",
    "family": "The kind of the layer, which decides its limit.",
    "alone": "The verdict on the layer alone, fed with the reference's own integers.",
    "differ": "Share of the elements that are no ties and differ from the reference's, over all samples.",
    "exact": "Share of elements that equal the reference's, over all samples.",
    "needed": "Share that must be equal; 'non-ties' where only elements that are no ties must be.",
    "max LSB": "Largest difference in LSB, that is in steps of the result's scale.",
    "elements": "Number of elements that were compared, over all samples.",
    "ties": "Elements whose real value lies exactly halfway between two integers: both roundings are right.",
    "proved": "Inputs for which the conversion proved the layer's integers, or the distance from ties beyond which "
    "it did; 'measured' is the largest error that it found on some inputs.",
    "default kernels": "Share of equal elements and largest difference in LiteRT's default kernels.",
}
"""The meaning of each column of the layers' table."""

OUTPUT_COLUMNS: Mapping[str, str] = {
    "output": "The output's name.",
    "exact": "Share of elements that equal the reference's, over all samples. Differences of layers add up here.",
    "max LSB": "Largest difference in LSB of the quantized tensor behind the output.",
    "max abs": "Largest difference.",
    "SQNR dB": "Signal to quantization-noise ratio: the reference's power by the power of the difference, in dB.",
    "top-1": "Share of samples with the same best class, for outputs that tell a class.",
    "distinct": "Number of different values in the reference's output: with few of them equality means little.",
    "optimised": "Share of elements that the reference itself computes the same with its optimisation.",
}
"""The meaning of each column of the outputs' table."""

VALUE_COLUMNS: Mapping[str, str] = {
    "node": "The source node that computes the value.",
    "op": "The node's operator in the source.",
    "in the file": "The node's operator in the file, with the node's name where it is another one.",
    "matched by": "The evidence that both values are the same one, with the correlation of values that are not equal.",
    "exact": "Share of elements within half an LSB, of floats those that are equal, over all samples.",
    "max LSB": "Largest difference in LSB of the source's quantized tensor, else of the file's.",
    "max abs": "Largest difference.",
    "max rel": "Largest difference divided by the largest magnitude in the source.",
    "SQNR dB": "Signal to quantization-noise ratio: the source's power by the power of the difference, in dB.",
    "elements": "Number of elements that were compared, over all samples.",
    "lasting dB": "SQNR without noise that the next layers remove, as an activation removes what was clamped before.",
}
"""The meaning of each column of the values' table."""
