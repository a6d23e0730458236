"""Arm's Ethos-U: a description of each processor, and the forms of TOSA's ops that run faster there."""
