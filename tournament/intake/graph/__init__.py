"""A network as a graph of plain operations: evaluated, rounded, simplified, and written as ONNX.

    nodes.py        the graph, and its plain evaluation in float64
    ops/            the operations
    rounding.py     every number to 12 bits
    simplify.py     the same results by fewer operations
    onnx.py         the graph as ONNX
    value_range.py  whether a value stays from 0 to 1

Nothing here knows of Keras or of a file.
"""
