"""From the description of a model, as Keras wrote it, and its arrays to a graph of operations.

    description.py  JSON → layers, calls and arguments; the arrays of a file, and whose they are
    calls.py        each call, by the tables of layers/ and functions.py
    builder.py      what entries of these tables may use: options, and a graph to write to
    network.py      the calls that policy and value need, in their order, written into the graph

No class is looked up by a name from the file, and nothing in the file is called. What a student is
told of a refused layer is in intake/faults.py.
"""
