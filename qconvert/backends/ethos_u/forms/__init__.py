"""Rewrites of TOSA modules into ops that Ethos-U runs faster; each keeps every integer."""
