#!/usr/bin/env python3
"""Examples, and random legal schedules of them, as kernels for time_truth.py, with what the simulator predicts.

    python3 bench/gpu/stage_truth.py OUT [--only NAME...] [--random COUNT] [--programs NAME...] [--first-seed 1]
        [--heddle build/bin/heddle] [--jobs 1]

--random: that many random legal schedules (heddle compile --scheduler=random), spread over --programs. Runs where
Heddle is built (no GPU needed). OUT/NAME/{kernel.cubin, kernel.json, truth.json}, and OUT/clock.cubin; beside OUT,
in OUT.local, what predictions are made from (warp.mlir, hw.mlir, loop.sched, loop.solution, kernel.cu, kernel.cubin).
Where ptxas had too few registers, the kernel is another form than these options ask for: it has no hw.mlir.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from build import diagnose, resources  # noqa: E402
from stage_examples import CASES  # noqa: E402

RANDOM = ["02_attention", "16_attention_d64", "20_attention_backward_d64"]
HERE = os.path.dirname(os.path.abspath(__file__))


def stage(args, folder, name, options):
    path = os.path.join(args.out, folder)
    kept = os.path.join(os.path.normpath(args.out) + ".local", folder)
    source = f"examples/{name}.mlir"
    run = subprocess.run(
        [args.heddle, "compile", source, "-o", path, "--emit=cubin", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        shutil.rmtree(path, ignore_errors=True)
        return f"{folder}: {(run.stderr.splitlines() or ['failed'])[-1]}"
    os.makedirs(kept, exist_ok=True)
    for extra in os.listdir(path):
        if extra not in ("kernel.cubin", "kernel.json"):  # all that the GPU machine reads
            shutil.move(os.path.join(path, extra), os.path.join(kept, extra))
    shutil.copy(os.path.join(path, "kernel.cubin"), kept)

    def level(name):
        command = [args.heddle, "compile", source, f"--emit={name}", *options]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    with open(os.path.join(kept, "kernel.cu"), encoding="utf-8") as file:
        asked = file.read().strip() == level("cuda").strip()
    for form in ["warp", "hw"] if asked else ["warp"]:
        with open(os.path.join(kept, f"{form}.mlir"), "w", encoding="utf-8") as file:
            file.write(level(form))
    about = {
        "example": name,
        "options": options,
        "intervals": [int(i) for i in re.findall(r"interval (\d+)", run.stdout)],
        "registers": resources(run.stderr).get("registers"),
        "defects": diagnose(run.stderr),
    }
    with open(os.path.join(path, "truth.json"), "w", encoding="utf-8") as file:
        json.dump(about, file)
    return f"{folder}: intervals {about['intervals']}, {about['registers']} registers, {about['defects']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--programs", nargs="*", default=RANDOM)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    target = ["-O3", "-gencode", "arch=compute_90a,code=sm_90a", "-cubin"]
    clock = os.path.join(args.out, "clock.cubin")
    subprocess.run(["nvcc", *target, os.path.join(HERE, "clock.cu"), "-o", clock], check=True)
    work = [(name, name, []) for name in (args.only if args.only is not None else CASES) if "+" not in name]
    for i in range(args.random):
        name, seed = args.programs[i % len(args.programs)], args.first_seed + i // len(args.programs)
        work.append((f"{name}_seed{seed}", name, ["--scheduler=random", f"--schedule-seed={seed}"]))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for line in pool.map(lambda item: stage(args, *item), work):
            print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
