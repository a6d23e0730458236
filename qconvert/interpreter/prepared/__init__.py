"""Functions that prepare the evaluation of ops by constants, one file a family."""
