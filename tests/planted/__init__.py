"""Faults that are planted in written files, and what each command says of them."""
