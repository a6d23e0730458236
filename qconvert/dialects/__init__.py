"""The ops of the IR: StableHLO, TOSA, the quant and check dialects, and composites; one package or file a dialect."""
