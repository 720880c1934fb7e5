"""Prints a problem of as many pairs of like nodes as asked for."""

import sys

print("problem pairs")
for i in range(int(sys.argv[1])):
    print(f"node a{i} latency=2\nnode b{i} latency=2\nedge a{i} -> b{i} delay=2")
