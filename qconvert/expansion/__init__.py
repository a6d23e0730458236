"""The expansions of ops that follow LiteRT's arithmetic into integer ops of TOSA, which define their results.

The interpreter evaluates an expansion, the TOSA backend writes it, and the pass ``expand-litert`` translates it to
StableHLO's integer ops. A file holds a family of ops. Ops that TOSA's
integer ops cannot express have a numpy kernel in ``qconvert.interpreter``:

* ``litert.hybrid``: products of floats that are quantized at run time with 8-bit weights. The pass ``expand-hybrids``
  writes them in float and integer ops.
* ``litert.unary``: functions of one value. TOSA takes them as tables, and the kernels compute the entries.
* ``litert.kernels``: QUANTIZE of floats, and convolutions whose sums of 48 bits are multiplied by 32 bits.
"""
