"""Fuzzers: mutated models and files must convert, or end in an error of one paragraph. README.md explains them."""
