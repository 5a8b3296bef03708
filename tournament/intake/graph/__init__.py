"""A network as a graph of plain operations; nothing here knows of Keras or of a file.

ops.py has the operations and what each computes; graph.py the graph, which it evaluates plainly,
rounds to 12 bits a number and simplifies; onnx.py says how it is written as ONNX.
"""
