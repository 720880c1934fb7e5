"""Compiles examples with random legal schedules to kernel directories: any legal schedule must work.

    python3 bench/gpu/stage_random.py OUT [--count 12] [--first-seed 1] [--only NAME...] [--free-groups]
        [--heddle build/bin/heddle]

--free-groups: the warp assignment is random, too. Runs where Heddle is built (no GPU needed); each example gets every
n-th seed, so the count spreads over the programs. Carry OUT to the GPU machine:
python3 bench/gpu/bench.py OUT/* --check-only --out random.json
Spills and serialised wgmma are reported, not errors: a random schedule may be slow, never wrong.
Exit code 1 when one does not compile; the line names program and seed.
"""

import argparse
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from build import diagnose, resources  # noqa: E402
from stage_examples import CASES  # noqa: E402

PROGRAMS = [
    "01_gemm",
    "02_attention",
    "04_gemm_scaled_a",
    "05_two_dots_shared_a",
    "06_rowsum",
    "08_attention_causal",
    "16_attention_d64",
    "17_gemm_192x128x64",
]
# Small shapes with remainders in every dimension, one below a tile, and one exact; the rest of a table of shapes adds
# time only.
MOST_CASES = 8


def stage(args, name, seed):
    """One directory; None, or why it could not be made."""
    folder = os.path.join(args.out, f"{name}_seed{seed}")
    command = [
        args.heddle,
        "compile",
        f"examples/{name}.mlir",
        "-o",
        folder,
        "--emit=cubin",
        "--scheduler=random",
        f"--schedule-seed={seed}",
        *(["--free-groups"] if args.free_groups else []),
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        lines = [line for line in run.stderr.splitlines() if "error" in line]
        return (lines or run.stderr.splitlines() or [f"exit code {run.returncode}"])[0]
    for extra in os.listdir(folder):
        if extra not in ("kernel.cubin", "kernel.json"):  # all that the GPU machine reads
            os.remove(os.path.join(folder, extra))
    with open(os.path.join(folder, "case.json"), "w", encoding="utf-8") as file:
        json.dump([{**case, "check_only": True} for case in CASES[name][:MOST_CASES]], file)
    interval = next(
        (line.split("interval ")[1].split(",")[0] for line in run.stdout.splitlines() if "interval " in line), "?"
    )
    defects = diagnose(run.stderr)
    print(
        f"{name} seed {seed}: interval {interval}, {resources(run.stderr).get('registers', '?')} registers"
        + (f"; {len(defects)} remarks, first: {defects[0]}" if defects else ""),
        flush=True,
    )
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--free-groups", action="store_true")
    parser.add_argument("--heddle", default="build/bin/heddle")
    args = parser.parse_args()
    names = args.only or PROGRAMS
    unknown = [name for name in names if name not in CASES]
    if unknown:
        parser.error(f"expected an example of stage_examples.py, got '{unknown[0]}'")
    os.makedirs(args.out, exist_ok=True)
    failed = 0
    for i in range(args.count):
        name, seed = names[i % len(names)], args.first_seed + i
        error = stage(args, name, seed)
        if error:
            print(f"{name} seed {seed}: {error}", file=sys.stderr, flush=True)
            failed += 1
    print(f"{args.count - failed} of {args.count} random schedules staged in {args.out}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
