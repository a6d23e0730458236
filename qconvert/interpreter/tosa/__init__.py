"""The interpreter of TOSA's ops in numpy, imported with the first such op."""
