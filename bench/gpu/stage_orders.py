#!/usr/bin/env python3
"""Compiles chains with the programs of one kernel in several orders, to be timed beside each other.

    python3 bench/gpu/stage_orders.py OUT [--chains attention_backward_causal ...] [--kernel gradients]  # where nvcc is

Orders: as written; upward with 2 to 32 programs of the next dimension side by side (`ascending` of docs/Plan.md); the
        same from a counter. The makespan that greedy blocks would have is what docs/Findings.md predicts.
Output: OUT/<chain>-<order>/ with chain.json and a cubin for each kernel; OUT/orders.json names them with what ptxas
        spills or serialises. An order that the compiler refuses is left out, and the script ends with 1.
"""

import argparse
import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from build import diagnose  # noqa: E402

CHAINS = ["attention_backward_causal", "attention_backward_causal_d64"]
COUNTED = 'persistent = true, tile_source = "counter"'


def orders():
    """{name: what the plan says of the kernel}"""
    plans = {"written": ""}
    for section in (2, 4, 8, 16, 32):
        plans[f"up{section}"] = f"ascending = {section}"
    plans["counter"] = COUNTED
    for section in (4, 8):
        plans[f"counter-up{section}"] = f"ascending = {section}, {COUNTED}"
    return plans


def stage(args, chain, order, keys):
    """What the compiler said, and whether it ended well."""
    folder = os.path.join(args.out, f"{chain}-{order}")
    os.makedirs(folder, exist_ok=True)
    plan = os.path.join(folder, "order.plan")
    with open(plan, "w", encoding="utf-8") as file:
        file.write(f"{{kernel = {{{keys}}}}}\n")
    command = [args.heddle, "compile", f"examples/chains/{chain}.mlir", "-o", folder, "--emit=cubin"]
    run = subprocess.run(command + [f"--plan={args.kernel}={plan}"], capture_output=True, text=True, check=False)
    for extra in glob.glob(os.path.join(folder, "*", "*")):
        if not extra.endswith(("kernel.cubin", "kernel.json")):
            os.remove(extra)
    return run.stderr, run.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--chains", nargs="+", default=CHAINS)
    parser.add_argument("--kernel", default="gradients")
    parser.add_argument("--heddle", default="build/bin/heddle")
    args = parser.parse_args()
    staged, failed = [], 0
    for chain in args.chains:
        for order, keys in orders().items():
            said, good = stage(args, chain, order, keys)
            if not good:
                print(f"{chain} {order}: {(said.splitlines() or ['failed'])[-1]}", file=sys.stderr)
                failed = 1
                continue
            staged.append({"chain": chain, "order": order, "folder": f"{chain}-{order}", "defects": diagnose(said)})
            print(staged[-1], flush=True)
    with open(os.path.join(args.out, "orders.json"), "w", encoding="utf-8") as file:
        json.dump(staged, file, indent=1)
    return failed


if __name__ == "__main__":
    sys.exit(main())
