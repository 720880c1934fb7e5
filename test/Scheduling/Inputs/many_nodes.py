"""Prints a problem of 40000 nodes with three edges each: what looks at every edge for every node shows."""

import random

NODES = 40000
random.seed(1)
print("problem many\nunit A 1\nunit B 1\nregisters file=65536 overhead=40\ngroup g warps=4 regs=240")
for i in range(NODES):
    use = f"{random.choice('AB')}:0:{random.randint(1, 4)}"
    print(f"node n{i} latency={random.randint(1, 40)} warps=4 group=g use={use}")
for i in range(1, NODES):
    for _ in range(3):
        print(f"edge n{random.randint(max(0, i - 50), i - 1)} -> n{i} delay={random.randint(1, 40)}")
