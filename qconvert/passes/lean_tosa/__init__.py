"""Rewrites of TOSA modules into ops that neural processors run faster; each keeps every integer."""
