"""The judged file cut at the values that hold tensors of the source: what each layer computes inside the file."""

from qconvert.validation.segments.cutting import Segments, layers_in_file, looked_at, segments_of
from qconvert.validation.segments.smallest import write_smallest

__all__ = ["Segments", "layers_in_file", "looked_at", "segments_of", "write_smallest"]
