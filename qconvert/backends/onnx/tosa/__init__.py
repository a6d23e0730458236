"""TOSA's ops as ONNX's operators that compute the same integers; one file for each family.

A TOSA value is a tensor of its own element type; integers of 48 bits are held in 64. Many of onnxruntime's kernels lack
16 bits: these are computed in 32 bits, or in 64 where TOSA asks for more.
"""
