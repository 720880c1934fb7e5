#!/usr/bin/env python3
"""Writes the instances of this directory that come from tile programs, by the compiler.

usage: extract.py HEDDLE [--check]     --check: compare with the stored files instead; exit status 1 if any differs
"""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# Element-wise operations that can run as one are one node, as the compiler has them by default.
CHAINS = "chains"

# instance: program, machine, sub-tiles, compute groups beyond these, further options
INSTANCES = {
    "gemm_h100": ("examples/01_gemm.mlir", "h100", 2, 0),
    "dual_gemm_h100": ("examples/05_two_dots_shared_a.mlir", "h100", 2, 0),
    "gemm_rowsum_h100": ("bench/sched/programs/gemm_rowsum.mlir", "h100", 2, 0),
    "attention_d64_h100": ("examples/16_attention_d64.mlir", "h100", 2, 0, "--param=BM=128"),
    "attention_d128_h100": ("examples/02_attention.mlir", "h100", 2, 0),
    "attention_causal_d128_h100": ("examples/08_attention_causal.mlir", "h100", 2, 0),
    "attention_window_h100": ("bench/sched/programs/attention_window.mlir", "h100", 2, 0),
    "attention_window_chains_h100": ("bench/sched/programs/attention_window.mlir", "h100", 2, 0, CHAINS),
    "attention_softcap_h100": ("bench/sched/programs/attention_softcap.mlir", "h100", 2, 0),
    "attention_softcap_chains_h100": ("bench/sched/programs/attention_softcap.mlir", "h100", 2, 0, CHAINS),
    "attention_alibi_h100": ("bench/sched/programs/attention_alibi.mlir", "h100", 2, 0),
    "attention_alibi_chains_h100": ("bench/sched/programs/attention_alibi.mlir", "h100", 2, 0, CHAINS),
    "attention_backward_h100": ("bench/sched/programs/attention_backward_64x128.mlir", "h100", 2, 0),
    "attention_backward_whole_h100": ("bench/sched/programs/attention_backward_64x128.mlir", "h100", 1, 1),
    "attention_b200": ("bench/sched/programs/attention_256.mlir", "b200", 2, 1),
    "attention_slices_b200": ("bench/sched/programs/attention_256_slices.mlir", "b200", 2, 1),
    "attention_limits_b200": ("bench/sched/programs/attention_256.mlir", "b200", 2, 1, "--no-register-file"),
    "attention_whole_b200": ("bench/sched/programs/attention_256.mlir", "b200", 1, 1),
    "attention_backward_b200": ("bench/sched/programs/attention_backward_2x64.mlir", "b200", 1, 2),
    "attention_backward_whole_b200": ("bench/sched/programs/attention_backward_128.mlir", "b200", 1, 2),
}


# What is proved about an instance is about one problem, however the compiler decides where reductions over threads are
# and whether a kernel is persistent: what plans say of kernels.
DECIDED = "defer = false"
DECIDED_OF = {"attention_d64_h100": "defer = true, persistent = false"}


def extract(heddle, decided, program, machine, groups, extra, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".plan") as plan:
        plan.write(f"{{kernel = {{{decided}}}}}")
        plan.flush()
        return extract_by(heddle, plan.name, program, machine, groups, extra, *options)


def extract_by(heddle, plan, program, machine, groups, extra, *options):
    command = [
        heddle,
        "compile",
        os.path.join(ROOT, program),
        f"--machine={os.path.join(ROOT, 'machines', machine + '.json')}",
        f"--groups={groups}",
        "--free-groups",
        f"--extra-groups={extra}",
        "--resolution=0",
        "--emit=problem",
        f"--plan={plan}",
        *([] if CHAINS in options else ["--no-chains"]),
        *(option for option in options if option != CHAINS),
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    heddle, check = sys.argv[1], "--check" in sys.argv[2:]
    differing = []
    for name, arguments in INSTANCES.items():
        text = extract(heddle, DECIDED_OF.get(name, DECIDED), *arguments)
        path = os.path.join(HERE, name + ".sched")
        if check:
            if not os.path.exists(path) or open(path).read() != text:
                differing.append(name)
        else:
            with open(path, "w") as out:
                out.write(text)
    if differing:
        print("differ from what the compiler extracts (rerun bench/sched/extract.py HEDDLE): " + ", ".join(differing))
        return 1
    print(f"{len(INSTANCES)} instances {'agree' if check else 'written'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
