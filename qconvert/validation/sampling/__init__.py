"""The samples that models run on: given ones, or random ones of values that the model can take; labels and classes."""
