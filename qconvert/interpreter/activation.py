"""Activation composites."""
