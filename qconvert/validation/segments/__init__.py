"""The judged file cut at the values that hold tensors of the source: what each layer computes inside the file."""

from qconvert.validation.segments.cutting import LOOKED_AT, Segments, layers_in_file, segments_of

__all__ = ["LOOKED_AT", "Segments", "layers_in_file", "segments_of"]
