"""From the description of a model, as Keras wrote it, and its arrays to a graph of operations.

    description.py  JSON → layers, calls and arguments
    calls.py        each call, by the tables of layers/ and functions.py; options.py reads options
    builder.py      each call as operations of the graph: shapes, limits, and what counts
    weights.py      the arrays that layers ask for
    network.py      the calls that policy and value need, in their order, written into the graph

No class is looked up by a name from the file, and nothing in the file is called.
"""
