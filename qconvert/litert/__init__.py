"""The types that LiteRT's kernels take: read by the reader of TFLite and by its writer, which know no other."""
