"""Each op that follows LiteRT's arithmetic as integer ops of TOSA: the one statement of what it computes.

The interpreter evaluates an expansion, the TOSA backend writes it. A file holds a family of ops. What LiteRT computes
and TOSA's integer ops cannot express stands as a numpy kernel in ``qconvert.interpreter``:

* ``litert.hybrid``: products of floats that are quantized at run time with 8-bit weights.
* ``litert.unary``: functions of one value. TOSA takes them as tables, and the kernels compute the entries.
* ``litert.kernels``: QUANTIZE of floats, and convolutions whose sums of 48 bits are multiplied by 32 bits.
"""
