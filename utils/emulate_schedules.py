#!/usr/bin/env python3
"""Runs the emitted CUDA text of every example, every program of test/Programs and random legal schedules of them in the
emulator.

    python3 utils/emulate_schedules.py --heddle build/bin/heddle [--seeds N] [--groups N] [--jobs 2]

The same sets as unittests/Pipelines/WarpRoadTests.cpp runs as warp programs: the examples with their best schedule,
seven programs with `seeds` random schedules each (backward passes share a fifth), eight with `groups` random schedules
with random warp groups each; of each program of test/Programs `programs` of four random schedules, by turns, with the
most and with one warp group, and the best ones but where the program's own test emulates it. Every run is compared with
the sequential meaning in two interleavings. Defaults: HEDDLE_EMULATED_SEEDS, HEDDLE_EMULATED_GROUPS and
HEDDLE_EMULATED_PROGRAMS, or 2, 1 and 1; the unit test's are 45, 25 and 4. A random search that finds
no schedule is counted as refused where the unit test allows it, otherwise it is a failure. Schedules of which the text
(without comments) and the manifest are alike make one run: six in ten of the programs' schedules. Exit code: 0, or 1
with failures.
"""

import argparse
import collections
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Sizes that leave tails.
SMALL = {"M": 136, "N": 264, "K": 328, "Z": 2, "B": 1, "H": 1, "S": 300, "T": 300}
RANDOM = [
    "01_gemm",
    "02_attention",
    "04_gemm_scaled_a",
    "05_two_dots_shared_a",
    "06_rowsum",
    "16_attention_d64",
    "18_attention_causal_d64",
]
BACKWARD = ["19_attention_backward", "20_attention_backward_d64", "21_attention_backward_causal_d64"]
GROUPS = [*RANDOM, "17_gemm_192x128x64"]


def example(name):
    return os.path.join(ROOT, "examples", name + ".mlir")


def small_sizes(program):
    with open(program) as file:
        default = re.search(r"tile\.default_dims\s*=\s*\{([^}]*)\}", file.read())
    names = re.findall(r"(\w+)\s*=", default[1]) if default else []
    sizes = {name: SMALL[name] for name in names if name in SMALL}
    if "S" in sizes and "T" in sizes:
        sizes["S"] = 200
    return ["--dims=" + ",".join(f"{n}={s}" for n, s in sizes.items())] if sizes else []


def is_emulated(program):
    """Whether the test in the program's file emulates it."""
    with open(program) as file:
        return re.search(r"RUN: heddle run %s --device=emulate", file.read()) is not None


def all_runs(seeds, groups, programs):
    """(set, program, options, may be refused)."""
    for program in sorted(glob.glob(os.path.join(ROOT, "examples", "*.mlir"))):
        if "backward" not in program:
            yield "examples", program, small_sizes(program), False
    for number, program in enumerate(sorted(glob.glob(os.path.join(ROOT, "test", "Programs", "*.mlir")))):
        for count in (0, 1):
            if count == 1 or programs == 4 or not is_emulated(program):
                yield "programs", program, [f"--groups={count}"], False
            for seed in sorted((number + 2 * count + turn) % 4 + 1 for turn in range(programs)):
                free = ["--free-groups"] if seed > 2 else []
                yield (
                    "programs",
                    program,
                    [f"--groups={count}", "--scheduler=random", f"--schedule-seed={seed}"] + free,
                    bool(free),
                )
    for name in RANDOM:
        for seed in range(1, seeds + 1):
            yield (
                "random schedules",
                example(name),
                small_sizes(example(name)) + ["--scheduler=random", f"--schedule-seed={seed}"],
                False,
            )
    for seed in range(1, max(seeds // 5, 3) + 1):
        program = example(BACKWARD[seed % 3])
        yield "backward", program, small_sizes(program) + ["--scheduler=random", f"--schedule-seed={seed}"], True
    for name in GROUPS:
        for seed in range(1, groups + 1):
            options = ["--scheduler=random", "--free-groups", f"--schedule-seed={seed}"]
            yield "random groups", example(name), small_sizes(example(name)) + options, False


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def what_runs(job):
    """(what the emulator would be given, or None if that is not known; result): the result of a job that ends here."""
    heddle, kind, program, options, refusable = job
    if kind == "examples":  # one schedule each
        return None, None
    sizes = [option for option in options if option.startswith("--dims")]
    with tempfile.TemporaryDirectory() as folder:
        command = [heddle, "compile", program, "-o", folder] + [option for option in options if option not in sizes]
        result = run(command)
        if result.returncode != 0:
            refused = refusable and result.returncode in (1, 2, 3)
            return None, (kind, "refused" if refused else "failed", command, result.stderr.strip())
        digest = hashlib.sha256(repr((program, sizes)).encode())
        for name in sorted(glob.glob(os.path.join(folder, "**", "*"), recursive=True)):
            if name.endswith(".cu"):
                with open(name) as file:
                    digest.update(re.sub(r"\s*//.*", "", file.read()).encode())
            elif name.endswith(".json"):
                with open(name) as file:
                    manifest = json.load(file)
                manifest.pop("mark", None)  # of the text with its comments
                digest.update(json.dumps(manifest, sort_keys=True).encode())
        return digest.hexdigest(), None


def emulate(job):
    heddle, kind, program, options, refusable = job
    command = [heddle, "run", program, "--device=emulate", "--emulation-limit=120"] + options
    result = run(command)
    if result.returncode == 0 and result.stdout.count("verified") >= 2:
        return kind, "verified", command, ""
    refused = (
        refusable
        and "emulation" not in result.stderr
        and "rejects" not in result.stderr
        and result.returncode in (1, 2, 3)
    )
    return kind, "refused" if refused else "failed", command, result.stderr.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--seeds", type=int, default=int(os.environ.get("HEDDLE_EMULATED_SEEDS", 2)))
    parser.add_argument("--groups", type=int, default=int(os.environ.get("HEDDLE_EMULATED_GROUPS", 1)))
    parser.add_argument(
        "--programs", type=int, choices=range(5), default=int(os.environ.get("HEDDLE_EMULATED_PROGRAMS", 1))
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    started = time.time()
    jobs = [(options.heddle,) + run for run in all_runs(options.seeds, options.groups, options.programs)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as executor:
        results, left, known = [], [], set()
        for job, (text, result) in zip(jobs, executor.map(what_runs, jobs)):
            if result:
                results.append(result)
            elif text in known:
                results.append((job[1], "alike", None, ""))
            else:
                left.append(job)
                known.update([text] if text else [])
        results += executor.map(emulate, left)
    counts = collections.Counter((kind, verdict) for kind, verdict, _, _ in results)
    for (kind, verdict), count in sorted(counts.items()):
        print(f"{kind}: {count} {verdict}")
    failures = [r for r in results if r[1] == "failed"]
    for _, _, command, text in failures:
        print(" ".join(command) + "\n" + text)
    print(f"{len(left)} of {len(results)} ran, in {time.time() - started:.0f} s, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
