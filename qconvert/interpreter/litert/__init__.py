"""Ops that follow LiteRT's arithmetic: their expansions evaluated, and numpy kernels where there is no expansion."""
