"""The judged file cut at the values that hold tensors of the source: what each layer computes inside the file."""

from qconvert.validation.segments.cutting import Segments, layers_in_file, looked_at, segments_of

__all__ = ["Segments", "layers_in_file", "looked_at", "segments_of"]
