"""Ops that follow LiteRT's arithmetic: their expansions are evaluated; ops without one have numpy kernels."""
