"""Reduction operators."""
