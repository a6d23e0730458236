"""The evaluation of chlo, which is loaded with the first module that has its ops."""
