"""The types that LiteRT's kernels take, which the reader and the writer of TFLite know alike, and cuts of its files."""
