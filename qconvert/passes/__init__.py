"""Rewrites of the IR, one pass to a file."""
