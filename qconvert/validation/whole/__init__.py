"""The limit of a whole network from its inputs to its outputs.

It is measured: the reference's own network is run again while the integers of each layer move by the steps that the
layer's limit allows, as often as it allows them. A conversion that differs more than all of these runs is not the same
network, even if each of its layers is right.
"""
